import express, { type Request, type Response, Router } from 'express';
import * as z from 'zod';
import { allScopes, LOCAL_PRINCIPAL, SCOPES, type TokenRecord } from '../domain/principal.ts';
import type { Guesses } from './guesses.ts';
import { retryAfter } from './rate-limit.ts';
import { type Refusal, refuse } from './refusal.ts';
import { dropCookie, keepCookie, tokenInCookie } from './session-cookie.ts';
import type { Tokens } from './tokens.ts';

/** A token is a hundred characters at most; whoever may not come in sends no more than this, in bytes. */
const BODY_BYTES = 4_096;

const signInSchema = z.strictObject({ token: z.string().min(1) });

/**
 * `/session`, where browsers sign in: `POST` with `{token}` has the browser keep it in a cookie, `GET` says who is signed in
 * and what for, `DELETE` signs out. Whoever guesses is slowed down.
 */
export function sessionApi(tokens: Tokens, guesses: Guesses): Router {
  const router = Router();
  router.get('/session', (req, res) => {
    const token = tokenInCookie(req);
    const waitMs =
      tokens.needed && token !== undefined ? guesses.judge(req.socket.remoteAddress, tokens.find(token)) : 0;
    if (waitMs > 0) {
      refuse(res, throttled(waitMs));
      return;
    }
    res.set('Cache-Control', 'no-store').json(sessionOf(tokens, token));
  });
  router.post('/session', express.json({ limit: BODY_BYTES }), (req: Request, res: Response) => {
    const { data } = signInSchema.safeParse(req.body);
    if (!data) {
      refuse(res, refusal(400, 'bad_value', 'Send JSON: {"token": "..."}'));
      return;
    }
    const found = tokens.find(data.token);
    const waitMs = tokens.needed ? guesses.judge(req.socket.remoteAddress, found) : 0;
    if (waitMs > 0) {
      refuse(res, throttled(waitMs));
      return;
    }
    if (tokens.needed && !found) {
      refuse(res, refusal(401, 'invalid_token', 'This token is not known here'));
      return;
    }
    if (found) res.set('Set-Cookie', keepCookie(req, data.token));
    res.set('Cache-Control', 'no-store').json(sessionOf(tokens, data.token));
  });
  router.delete('/session', (req, res) => {
    res.set('Set-Cookie', dropCookie(req)).json(sessionOf(tokens, undefined));
  });
  return router;
}

function sessionOf(tokens: Tokens, token: string | undefined): object {
  const found = identify(tokens, token);
  const scopes = found ? allScopes(found.scopes) : [];
  return {
    signed_in: found !== undefined,
    name: found?.name ?? null,
    scopes,
    needs_token: tokens.needed,
    can_make_tokens: scopes.includes('admin'),
  };
}

/** Where no token is needed everybody is this machine's user. */
function identify(tokens: Tokens, token: string | undefined): Pick<TokenRecord, 'name' | 'scopes'> | undefined {
  if (!tokens.needed) return { name: LOCAL_PRINCIPAL, scopes: SCOPES };
  return token === undefined ? undefined : tokens.find(token);
}

function throttled(waitMs: number): Refusal {
  return refusal(429, 'auth_throttled', 'Too many failed attempts: wait a little', retryAfter(waitMs));
}

function refusal(status: number, error: string, message: string, headers = {}): Refusal {
  return { status, headers, body: { ok: false, error, message } };
}
