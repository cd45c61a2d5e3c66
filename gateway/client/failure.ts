import { SdkHttpError } from '@modelcontextprotocol/client';
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

/** A server that took a call of one caller says nothing of it to another, and would take the call a second time. */
export class OtherCaller extends Error {
  override readonly name = 'OtherCaller';

  /** @param sentAs as whom it was sent, as `callerName` gives it */
  constructor(sentAs: string, caller: string) {
    super(
      `it was sent as ${sentAs}, and the server takes this command for ${caller}: it stays on record until it is asked for with the token of then (--token or READBACK_TOKEN)`,
    );
  }
}

/** Whether it is certain that the request did not reach the server. */
export function isUnsent(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth += 1) {
    if (at instanceof NoServer || ('code' in at && UNCONNECTED.has(String(at.code)))) return true;
  }
  return false;
}

/** A server's answer that says no. */
export interface Refused {
  readonly code: number;
  readonly message: string;
}

/** What is said where HTTP does not let a request in, by its status. */
const DOORS: Readonly<Record<number, string>> = {
  401: 'the server asks for a token that it knows: give one with --token or READBACK_TOKEN',
  403: 'the server does not let this token or this address in',
};

/** The refusal that an HTTP status stands for, if it is one that asking again does not change. */
export function closedDoor(status: number | undefined): Refused | undefined {
  const message = DOORS[status ?? 0];
  return message === undefined ? undefined : { code: -(status ?? 0), message };
}

/** The server's own refusal of a request; undefined where the request failed on its way. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof SdkHttpError) return closedDoor(error.status);
  return error instanceof JsonRpcResponseError ? { code: error.code, message: error.message } : undefined;
}

/** JSON-RPC's word for parameters that name nothing, as the id of a task that the server does not know (any more). */
const INVALID_PARAMS = -32_602;

/** Whether the server says that it does not know the task. */
export function isUnknownTask(error: unknown): boolean {
  return refusalOf(error)?.code === INVALID_PARAMS;
}
