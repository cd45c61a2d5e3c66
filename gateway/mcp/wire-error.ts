import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/**
 * What the client is told of an error: those made for the wire as they are, and of a fault of ours only that there was
 * one, because its text may name files and hosts.
 */
export function wireError(error: unknown, onError: (error: Error) => void): ProtocolError {
  if (error instanceof ProtocolError) return error;
  onError(error instanceof Error ? error : new Error(String(error)));
  return new ProtocolError(ProtocolErrorCode.InternalError, "Internal error; the gateway's log says more");
}
