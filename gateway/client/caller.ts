import { createHash } from 'node:crypto';
import * as z from 'zod';

/** How much of a token's hash tells it from others, in hexadecimal digits. */
const PRINT_DIGITS = 8;

const toldSchema = z.looseObject({ principal: z.string() });

/**
 * As whom a server takes its client. A token may be replaced, and the same caller shows another one: so the server's own
 * name for the caller is what counts, where it tells one.
 * @param told what the server says beside honouring keys
 */
export function callerName(told: unknown, token: string | undefined): string {
  const { data } = toldSchema.safeParse(told);
  if (data) return `"${data.principal}"`;
  if (token === undefined) return 'one without a token';
  const print = createHash('sha256').update(token).digest('hex').slice(0, PRINT_DIGITS);
  return `the holder of the token whose SHA-256 begins with ${print}`;
}
