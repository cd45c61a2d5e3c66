import { JsonRpcResponseError } from '@modelcontextprotocol/ext-tasks/client';

/** What the system says where no connection came about: the request never left. */
const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** No server can be found just now; another one may be started. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

/** Whether it is certain that the request did not reach the server. */
export function isUnsent(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (at instanceof NoServer || ('code' in at && UNCONNECTED.has(String(at.code)))) return true;
  }
  return false;
}

/** The server's own refusal of a request; undefined where the request failed on its way. */
export function refusalOf(error: unknown): { readonly code: number; readonly message: string } | undefined {
  return error instanceof JsonRpcResponseError ? { code: error.code, message: error.message } : undefined;
}

/** JSON-RPC's word for parameters that name nothing, as the id of a task that the server does not know (any more). */
const INVALID_PARAMS = -32_602;

/** Whether the server says that it does not know the task. */
export function isUnknownTask(error: unknown): boolean {
  return refusalOf(error)?.code === INVALID_PARAMS;
}
