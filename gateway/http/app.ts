import express, { type Express, type Router } from 'express';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { Access } from './access.ts';
import { refuseDeep } from './json-depth.ts';
import { answerErrors, answerMethodNotAllowed, answerNothingHere } from './json-errors.ts';
import { checkHost, checkOrigin, type Names } from './names.ts';

/** What the HTTP application is made of. */
export interface AppOptions extends Names {
  readonly mcp: McpEndpoint;
  /** What people's own tools call, below `/api`; it says itself which scope each of its parts needs. */
  readonly api: Router;
  readonly access: Access;
  readonly name: string;
  readonly version: string;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
}

/** The longest request that is read: a command is a few hundred bytes, but a client may listen to 20,000 tasks by name. */
const BODY_LIMIT = '1mb';

/** What Streamable HTTP is made of; which of them a client may use is the endpoint's to say. */
const METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE']);

/**
 * The gateway over HTTP: `/mcp`, `/api` for people's tools, and `/healthz` for whoever watches over the process. Every
 * error is JSON. No body is read of somebody who may not come in.
 */
export function createApp(options: AppOptions): Express {
  const { mcp, api, access, name, version, onError } = options;
  const app = express();
  app.disable('x-powered-by');
  app.use(checkHost(options), checkOrigin(options));
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok', name, version });
  });
  app.use(['/mcp', '/api'], access.authenticate);
  app.use('/mcp', access.require('read'));
  // Any JSON is parsed: what is no message the protocol itself refuses.
  app.use(express.json({ limit: BODY_LIMIT, strict: false, verify: refuseDeep }));
  app.all('/mcp', (req, res) => {
    if (!METHODS.has(req.method)) return answerMethodNotAllowed(res, METHODS);
    return mcp.handle(req, res, req.body);
  });
  app.use('/api', api);
  app.use(answerNothingHere);
  app.use(answerErrors(onError));
  return app;
}
