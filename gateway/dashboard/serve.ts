import type { Request, RequestHandler, Response } from 'express';
import { UserError, type UserErrorCode } from '../domain/errors.ts';
import type { Scope } from '../domain/principal.ts';
import { type Reader, readerOf, requireOneOf } from './reader.ts';
import type { RefusalWire } from './wire.ts';

/** What a request of the API gives, for a reader who may have it. */
export type Handle = (reader: Reader, req: Request) => Promise<object>;

/** Serves what a handler gives as JSON to readers with one of these scopes, and refuses the others. */
export type Serve = (scopes: readonly Scope[], handle: Handle, status?: number) => RequestHandler;

const STATUS: Readonly<Partial<Record<UserErrorCode, number>>> = {
  unknown_device: 404,
  unknown_task: 404,
  not_waiting: 404,
  bad_value: 400,
  nothing_to_do: 400,
  not_allowed: 403,
  unknown_token: 404,
  token_conflict: 409,
  too_many_pages: 429,
};

/** @param onError hears of faults of ours */
export function servedBy(onError: (error: Error) => void): Serve {
  return (scopes, handle, status = 200) =>
    async (req, res) => {
      try {
        const reader = readerOf(req);
        requireOneOf(reader, scopes);
        const answer = await handle(reader, req);
        res.status(status).set('Cache-Control', 'no-store').json(answer);
      } catch (error) {
        refuse(res, error, onError);
      }
    };
}

/** Answers what cannot be served: a refusal in its own words, a fault of ours without a word of what is inside. */
export function refuse(res: Response, error: unknown, onError: (error: Error) => void): void {
  if (error instanceof UserError) {
    const refusal: RefusalWire = { ok: false, error: error.code, message: error.message };
    res.status(STATUS[error.code] ?? 503).json(refusal);
    return;
  }
  onError(error instanceof Error ? error : new Error(String(error)));
  const fault: RefusalWire = { ok: false, error: 'internal', message: "Internal error; the gateway's log says more" };
  res.status(500).json(fault);
}
