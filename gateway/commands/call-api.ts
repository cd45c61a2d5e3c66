import * as z from 'zod';
import { exchange } from '../client/exchange.ts';
import { messageOf, StartError } from '../domain/errors.ts';
import type { Daemon } from './find-daemon.ts';

/** One request to the API of a running gateway. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Below `/api`. */
  readonly path: string;
  readonly body?: object;
}

/** A refusal of the API, or in JSON-RPC of what stands before it: names, origins, how often somebody may ask. */
const refusalSchema = z.union([
  z.object({ error: z.string(), message: z.string().optional() }),
  z
    .object({ error: z.object({ message: z.string() }) })
    .transform(({ error: { message } }) => ({ error: '', message })),
]);

/** How long the gateway may take to answer, in ms. */
const TIMEOUT_MS = 30_000;

/** How long it may take to say that it lives, in ms. */
const HEALTH_TIMEOUT_MS = 1_000;

/**
 * Asks the API of a running gateway.
 * @returns what it answered with
 * @throws StartError where none answers, or it refuses
 */
export async function callApi(daemon: Daemon, request: ApiRequest): Promise<unknown> {
  const { status, body } = await send(daemon, `/api${request.path}`, request, TIMEOUT_MS).catch((error: unknown) => {
    throw noAnswer(daemon.url, error);
  });
  if (status < 400) return body;
  const { error, message } = refusalSchema.safeParse(body).data ?? {};
  if (error === 'invalid_token') {
    throw new StartError('it asks for a token that it knows: give one with --token or READBACK_TOKEN');
  }
  throw new StartError(message ?? `${daemon.url} answered ${status}: is it a gateway?`);
}

/** Whether a gateway still answers: one that was killed leaves its address behind. */
export async function answers(daemon: Daemon): Promise<boolean> {
  try {
    return (await send(daemon, '/healthz', {}, HEALTH_TIMEOUT_MS)).status === 200;
  } catch {
    return false;
  }
}

async function send(
  { url, token, cert }: Daemon,
  path: string,
  { method = 'GET', body }: Pick<ApiRequest, 'method' | 'body'>,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, messages } = await exchange(url + path, {
    method,
    cert,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  try {
    for await (const answer of messages) return { status, body: answer };
  } catch (error) {
    // Whoever answers with a page is no gateway; its status tells so.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { status, body: undefined };
}

function noAnswer(url: string, error: unknown): StartError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const untrusted = /CERT|ISSUER|SIGNATURE|ALTNAME/.test(code);
  const message = untrusted
    ? `the certificate of ${url} is not trusted here (${messageOf(error)}): name its data folder with --data, or its authority's file in NODE_EXTRA_CA_CERTS`
    : `no gateway answers at ${url}: start one, or name another with --url`;
  return new StartError(message, 1, { cause: error });
}
