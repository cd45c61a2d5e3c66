import type { ServerContext } from '@modelcontextprotocol/server';
import { UserError } from '../domain/errors.ts';
import { callerWith } from './caller.ts';
import type { Feature } from './offer.ts';

/**
 * Where a call carries its key, in `_meta`: an argument would cost a model its bytes on every turn. The same name among
 * the server's capabilities says that keys are honoured, so that a client knows whether it may repeat a call whose answer
 * it lost.
 */
export const IDEMPOTENCY_KEY = 'readback/idempotency-key';

/**
 * The key that a call carries, if any.
 * @throws UserError `bad_value` for one that is not a string
 */
export function idempotencyKeyOf(ctx: ServerContext): string | undefined {
  const key = ctx.mcpReq._meta?.[IDEMPOTENCY_KEY];
  if (key === undefined || typeof key === 'string') return key;
  throw new UserError('bad_value', `_meta "${IDEMPOTENCY_KEY}" must be a string. Nothing was sent.`);
}

/**
 * Says that this server honours keys, in the place that the client's protocol revision has for it, and whose they are: a
 * client whose token has changed can tell whether a key still counts.
 */
export const honourIdempotencyKeys: Feature = (server, { era, authInfo }) => {
  const { principal } = callerWith(authInfo, {});
  const honoured = { [IDEMPOTENCY_KEY]: { principal } };
  server.server.registerCapabilities(era === 'modern' ? { extensions: honoured } : { experimental: honoured });
};
