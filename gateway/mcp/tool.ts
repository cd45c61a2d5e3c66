import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { UserError } from '../domain/errors.ts';
import type { Scope } from '../domain/principal.ts';
import type { Caller } from './caller.ts';
import type { TaskSeed } from './task.ts';

/** All that `tools/call` can answer. */
export type ToolAnswer = CallToolResult | InputRequiredResult | TaskSeed;

/** One tool: how it is listed, and what a call does. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** What a token must allow for its caller to see the tool and to call it. */
  readonly scope: Scope;
  /** Its call can be answered with a task. */
  readonly makesTasks?: true;
  /** @throws UserError what the caller can put right; ProtocolError what JSON-RPC has a code for */
  call(args: unknown, ctx: ServerContext, caller: Caller): Promise<ToolAnswer>;
}

/** What a tool is made from. */
export interface ToolParts<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly scope: Scope;
  readonly annotations?: ToolAnnotations;
  readonly makesTasks?: true;
  /** What a call must look like. */
  readonly input: Input;
  /** What is listed, where it says more than `input` demands. */
  readonly inputSchema?: ToolDefinition['inputSchema'];
  /** What its structured content looks like. */
  readonly outputSchema?: ToolDefinition['outputSchema'];
  readonly run: (args: z.output<Input>, ctx: ServerContext, caller: Caller) => Promise<ToolAnswer>;
}

/** Makes a tool that checks its arguments before it runs. */
export function defineTool<Input extends z.ZodObject>(parts: ToolParts<Input>): Tool {
  const { name, description, annotations, input, run } = parts;
  return {
    definition: {
      name,
      description,
      inputSchema: parts.inputSchema ?? leanSchema(input),
      ...(parts.outputSchema && { outputSchema: parts.outputSchema }),
      ...(annotations && { annotations }),
    },
    scope: parts.scope,
    ...(parts.makesTasks && { makesTasks: true }),
    async call(args, ctx, caller) {
      const parsed = input.safeParse(args);
      if (!parsed.success) throw new UserError('bad_value', `Invalid arguments: ${oneLine(parsed.error)}`);
      return run(parsed.data, ctx, caller);
    },
  };
}

/** JSON Schema without the members that say nothing to a model, which reads every byte of it on every turn. */
function leanSchema(input: z.ZodObject): ToolDefinition['inputSchema'] {
  const { properties = {}, required } = z.toJSONSchema(input, { io: 'input' });
  return { type: 'object', properties: jsonObject.parse(properties), ...(required && { required }) };
}

const jsonObject = z.record(z.string(), z.json());

function oneLine(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': ')).join('; ');
}

/** How a tool tells its caller no: one line, and the same for programs. */
export function refused(error: UserError): CallToolResult {
  return {
    content: [{ type: 'text', text: error.message }],
    structuredContent: { ok: false, error: error.code },
    isError: true,
  };
}
