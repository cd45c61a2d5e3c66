import * as z from 'zod';

const value = z.union([z.string(), z.number()]);

const resultSchema = z.object({
  verdict: z.string().nullable(),
  reason: z.string().nullable(),
  fields: z.record(
    z.string(),
    z.object({
      sent: value.optional(),
      before: value.nullable(),
      observed: value.nullable(),
      observed_at: z.string().nullable(),
    }),
  ),
  elapsed_ms: z.number(),
  reads: z.int(),
});

/** The structured content of a command's result, as far as it is looked at here. */
export type CommandResult = z.output<typeof resultSchema>;

const toolResult = z.looseObject({ isError: z.boolean().optional(), structuredContent: z.unknown() });

/** What a completed task carries. @throws ZodError where it is no result of a command */
export function readToolResult(raw: unknown): { result: CommandResult; isError: boolean } {
  const { isError = false, structuredContent } = toolResult.parse(raw);
  return { result: resultSchema.parse(structuredContent), isError };
}
