import { type Request, type Response, Router } from 'express';
import * as z from 'zod';
import { UserError, type UserErrorCode } from '../domain/errors.ts';
import { SCOPES } from '../domain/principal.ts';
import { refuse } from './refusal.ts';
import type { Tokens } from './tokens.ts';

const newTokenSchema = z.strictObject({ name: z.string(), scopes: z.array(z.enum(SCOPES)).min(1) });

const STATUS: Readonly<Partial<Record<UserErrorCode, number>>> = {
  bad_value: 400,
  unknown_token: 404,
  token_conflict: 409,
};

/**
 * `GET /tokens` lists them, `POST /tokens` with `{name, scopes}` makes one and shows it this one time, `DELETE
 * /tokens/:name` revokes it at once. For whoever may do everything: it is mounted behind the scope admin.
 */
export function tokensApi(tokens: Tokens, onError: (error: Error) => void): Router {
  const router = Router();
  const serve = (status: number, handle: (req: Request) => Promise<object>) => async (req: Request, res: Response) => {
    try {
      const answer = await handle(req);
      res.status(status).set('Cache-Control', 'no-store').json(answer);
    } catch (error) {
      refuseFor(res, error, onError);
    }
  };
  router.get(
    '/tokens',
    serve(200, async () => ({ tokens: tokens.list() })),
  );
  router.post(
    '/tokens',
    serve(201, async (req) => {
      const { data } = newTokenSchema.safeParse(req.body);
      if (!data) {
        throw new UserError('bad_value', `Send JSON: {"name": "...", "scopes": [...]} of ${SCOPES.join(', ')}`);
      }
      const { name, scopes } = data;
      const first = !tokens.needed;
      return { name, scopes, token: await tokens.add(name, scopes), first };
    }),
  );
  router.delete(
    '/tokens/:name',
    serve(200, async (req) => {
      const name = String(req.params['name']);
      await tokens.revoke(name);
      return { name, open: !tokens.needed };
    }),
  );
  return router;
}

function refuseFor(res: Response, error: unknown, onError: (error: Error) => void): void {
  if (error instanceof UserError) {
    const body = { ok: false, error: error.code, message: error.message };
    refuse(res, { status: STATUS[error.code] ?? 503, body });
    return;
  }
  onError(error instanceof Error ? error : new Error(String(error)));
  refuse(res, {
    status: 500,
    body: { ok: false, error: 'internal', message: "Internal error; the gateway's log says more" },
  });
}
