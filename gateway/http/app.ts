import { createMcpExpressApp } from '@modelcontextprotocol/express';
import type { Express, Router } from 'express';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { answerErrors, answerNothingHere } from './json-errors.ts';

/** What the HTTP application is made of. */
export interface AppOptions {
  readonly mcp: McpEndpoint;
  /** What people's own tools call, below `/api`. */
  readonly api: Router;
  readonly name: string;
  readonly version: string;
  /** The address it will listen on: on loopback only loopback's names are let in as Host and Origin. */
  readonly host: string;
  /** Names under which the gateway may be addressed, without ports, where `host` is not loopback. */
  readonly allowedHosts?: readonly string[];
  /** Hosts of web pages that may call the gateway, where `host` is not loopback. */
  readonly allowedOrigins?: readonly string[];
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
}

/** The longest request that is read: a command is a few hundred bytes, but a client may listen to 20,000 tasks by name. */
const BODY_LIMIT = '1mb';

/** The gateway over HTTP: `/mcp`, `/api` for people's tools, and `/healthz` for whoever watches over the process. Every error is JSON. */
export function createApp(options: AppOptions): Express {
  const { mcp, api, name, version, host, allowedHosts, allowedOrigins, onError } = options;
  const app = createMcpExpressApp({
    host,
    jsonLimit: BODY_LIMIT,
    ...(allowedHosts && { allowedHosts: [...allowedHosts] }),
    ...(allowedOrigins && { allowedOrigins: [...allowedOrigins] }),
  });
  app.disable('x-powered-by');
  app.all('/mcp', (req, res) => mcp.handle(req, res, req.body));
  app.use('/api', api);
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok', name, version });
  });
  app.use(answerNothingHere);
  app.use(answerErrors(onError));
  return app;
}
