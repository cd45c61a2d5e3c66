import { Router } from 'express';
import * as z from 'zod';
import type { Serve } from '../dashboard/serve.ts';
import { UserError } from '../domain/errors.ts';
import { SCOPES } from '../domain/principal.ts';
import type { Tokens } from './tokens.ts';

const newTokenSchema = z.strictObject({ name: z.string(), scopes: z.array(z.enum(SCOPES)).min(1) });

/**
 * `GET /tokens` lists them, `POST /tokens` with `{name, scopes}` makes one and shows it this one time, `DELETE
 * /tokens/:name` revokes it at once. All of it is for whoever may do everything.
 */
export function tokensApi(tokens: Tokens, serve: Serve): Router {
  const router = Router();
  router.get(
    '/tokens',
    serve(['admin'], async () => ({ tokens: tokens.list() })),
  );
  router.post(
    '/tokens',
    serve(
      ['admin'],
      async (_reader, req) => {
        const { data } = newTokenSchema.safeParse(req.body);
        if (!data) {
          throw new UserError('bad_value', `Send JSON: {"name": "...", "scopes": [...]} of ${SCOPES.join(', ')}`);
        }
        const { name, scopes } = data;
        const first = !tokens.needed;
        return { name, scopes, token: await tokens.add(name, scopes), first };
      },
      201,
    ),
  );
  router.delete(
    '/tokens/:name',
    serve(['admin'], async (_reader, req) => {
      const name = String(req.params['name']);
      await tokens.revoke(name);
      return { name, open: !tokens.needed };
    }),
  );
  return router;
}
