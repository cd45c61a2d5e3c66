import { Router } from 'express';

/**
 * What the gateway cannot work well without, each with its look: null where all is well, else what is wrong, in words that
 * anybody may read.
 */
export type HealthChecks = Readonly<Record<string, () => string | null>>;

export interface HealthOptions {
  readonly name: string;
  readonly version: string;
  readonly checks: HealthChecks;
}

/** Something that is wrong. */
interface Trouble {
  readonly part: string;
  readonly reason: string;
}

/**
 * `/healthz` for whoever watches over the process: 200 as long as it lives, for a restart would mend neither a full disk
 * nor a broker; `degraded` says that something is wrong. `/readyz` for whoever sends clients here: 503 while something is.
 * Both say what, and are open to everybody.
 */
export function healthRoutes({ name, version, checks }: HealthOptions): Router {
  const routes = Router();
  routes.get('/healthz', (_req, res) => {
    const troubles = troublesOf(checks);
    res.json({ status: troubles.length === 0 ? 'ok' : 'degraded', name, version, troubles });
  });
  routes.get('/readyz', (_req, res) => {
    const troubles = troublesOf(checks);
    const ready = troubles.length === 0;
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', troubles });
  });
  return routes;
}

function troublesOf(checks: HealthChecks): Trouble[] {
  return Object.entries(checks).flatMap(([part, look]) => {
    const reason = look();
    return reason === null ? [] : [{ part, reason }];
  });
}
