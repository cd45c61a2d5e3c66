import { createHash } from 'node:crypto';
import * as z from 'zod';
import { nameFlaw, SCOPES, type TokenRecord } from '../domain/principal.ts';
import { strict } from './schema-parts.ts';

/** What `openssl rand -hex 8` gives, the shortest that nobody guesses over a network. */
const SHORTEST = 16;

const nameSchema = z.string().superRefine((name, context) => {
  const flaw = nameFlaw(name);
  if (flaw !== undefined) context.addIssue({ code: 'custom', message: flaw });
});

const tokenSchema = strict({
  name: nameSchema,
  /** What a client sends as `Authorization: Bearer`. Keep it in `secrets.yaml` or in the environment. */
  token: z
    .string()
    .min(SHORTEST, `must have at least ${SHORTEST} characters: openssl rand -hex 24 makes a good one`)
    .regex(/^[A-Za-z0-9._~+/=-]+$/, 'a token is made of letters, digits and . _ ~ + / - and =')
    .optional(),
  /** In the place of the token itself: its SHA-256, as sha256sum prints it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits: printf %s "$TOKEN" | sha256sum')
    .optional(),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, `needs at least one of: ${SCOPES.join(', ')}`)
    .default(['read', 'control']),
}).transform(({ name, token, sha256, scopes }, context): TokenRecord => {
  if ((token === undefined) === (sha256 === undefined)) {
    const message = token === undefined ? 'needs token or sha256' : 'has token and sha256: one of them is enough';
    context.issues.push({ code: 'custom', input: name, message });
    return z.NEVER;
  }
  return { name, sha256: (sha256 ?? createHash('sha256').update(String(token)).digest('hex')).toLowerCase(), scopes };
});

/** Who may do what. From here on only hashes are known. */
export const tokensSchema = z.array(tokenSchema).superRefine((tokens, context) => {
  for (const [index, { name, sha256 }] of tokens.entries()) {
    const earlier = tokens.slice(0, index);
    if (earlier.some((other) => other.name === name)) {
      context.addIssue({ code: 'custom', path: [index, 'name'], message: `there is a token named "${name}" already` });
    }
    const twin = earlier.find((other) => other.sha256 === sha256);
    if (twin) {
      const message = `is the token of "${twin.name}" too: nobody could tell them apart`;
      context.addIssue({ code: 'custom', path: [index], message });
    }
  }
});
