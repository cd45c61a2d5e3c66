import type { z } from 'zod';

/** What was asked for makes no sense to the simulator; the message says what would. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** No device, fault or path of this name; the message lists those there are. */
export class UnknownError extends Error {
  override readonly name = 'UnknownError';
}

/** The simulator cannot run here: one line for the person at the terminal. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Input from outside, checked.
 * @throws InputError with every mistake on one line
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const mistakes = result.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw new InputError(mistakes.join('; '));
}

/** Anything thrown, as one line of text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
