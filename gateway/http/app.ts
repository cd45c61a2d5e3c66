import type { RequestListener } from 'node:http';
import express, { type Express, type RequestHandler, type Router } from 'express';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import type { Access } from './access.ts';
import { answerPreflight, shareAnswers } from './cross-origin.ts';
import { type HealthChecks, healthRoutes } from './health.ts';
import { refuseDeep } from './json-depth.ts';
import { answerErrors, answerMethodNotAllowed, answerNothingHere } from './json-errors.ts';
import { checkHost, checkOrigin, type Names } from './names.ts';
import { all, type Check, guard } from './refusal.ts';
import { securityHeaders } from './security-headers.ts';
import { shortWay } from './short-way.ts';

/** What the HTTP application is made of. */
export interface AppOptions extends Names {
  readonly mcp: Pick<McpEndpoint, 'handle'>;
  /** Where browsers sign in, below `/api`: open to everybody. */
  readonly signIn?: Router;
  /** What people's own tools call, below `/api`; it says itself which scope each of its parts needs. */
  readonly api: Router;
  /** The files of the page, at `/`: open to everybody, for whoever signs in needs them. Not there by default. */
  readonly page?: RequestHandler;
  readonly access: Access;
  readonly name: string;
  readonly version: string;
  /** What `/healthz` and `/readyz` look at; nothing by default. */
  readonly checks?: HealthChecks;
  /** Answers `/metrics`; not there by default. */
  readonly metrics?: RequestHandler;
  /** It is reached by TLS. */
  readonly tls?: boolean;
  /** The longest body that is read, in bytes; 1 MiB by default. */
  readonly bodyBytes?: number;
  /** Hears of faults of ours. */
  readonly onError: (error: Error) => void;
}

/** A command is a few hundred bytes, but a client may listen to 20,000 tasks by name. */
const BODY_BYTES = 2 ** 20;

/** What Streamable HTTP is made of; which of them a client may use is the endpoint's to say. */
const METHODS: ReadonlySet<string> = new Set(['POST', 'GET', 'DELETE']);

/** The gateway over HTTP, with the short way to MCP for whom it fits. */
export function createHandler(options: AppOptions): RequestListener {
  const { mcp, access, bodyBytes = BODY_BYTES, onError } = options;
  const check = all(frontDoor(options), mcpDoor(access));
  return shortWay({ mcp, check, recheck: access.still, bodyBytes, onError }, createApp(options));
}

/**
 * The gateway over HTTP: `/mcp`, `/api` for people's tools, and what watches over it: `/healthz`, `/readyz`, and `/metrics`
 * for whoever may read. Every error is JSON. No body is read of somebody who may not come in.
 */
export function createApp(options: AppOptions): Express {
  const {
    mcp,
    signIn,
    api,
    page,
    access,
    name,
    version,
    checks = {},
    metrics,
    tls = false,
    bodyBytes = BODY_BYTES,
    onError,
  } = options;
  const app = express();
  app.disable('x-powered-by');
  // Any JSON is parsed: what is no message the protocol itself refuses.
  const json = express.json({ limit: bodyBytes, strict: false, verify: refuseDeep });
  app.use(guard(frontDoor(options)), answerPreflight(METHODS));
  app.all('/mcp', guard(mcpDoor(access)), json, guard(access.still), (req, res) => {
    if (!METHODS.has(req.method)) return answerMethodNotAllowed(res, METHODS);
    return mcp.handle(req, res, req.body);
  });
  // What follows is for browsers too, and MCP is not.
  app.use(securityHeaders(tls));
  app.use(healthRoutes({ name, version, checks }));
  if (metrics) app.get('/metrics', guard(all(access.bearerOrCookie, access.allows('read'))), metrics);
  if (signIn) app.use('/api', signIn);
  app.use('/api', guard(access.bearerOrCookie), json, guard(access.still), api);
  if (page) app.use(page);
  app.use(answerNothingHere);
  app.use(answerErrors(onError));
  return app;
}

/** What every request has to pass. */
function frontDoor(names: Names): Check {
  return all(checkHost(names), checkOrigin(names), shareAnswers(names));
}

/** What a request to MCP has to pass beside that. A cookie opens no door here: MCP is not for pages. */
function mcpDoor(access: Access): Check {
  return all(access.bearer, access.allows('read'));
}
