import type * as z from 'zod';
import { UserError } from '../domain/errors.ts';

/** What a browser sent, checked. @throws UserError `bad_value` that names what is wrong */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const { data, error } = schema.safeParse(input);
  if (!error) return data;
  const mistakes = error.issues.map(({ path, message }) => [...path.map(String), message].join(': '));
  throw new UserError('bad_value', `${mistakes.join('; ')}.`);
}
