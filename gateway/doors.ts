import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import type { Commands } from './actuation/commands.ts';
import { removeDaemonFile, writeDaemonFile } from './commands/daemon-file.ts';
import type { HomeConfig } from './config/schema.ts';
import { shippedPath } from './config/shipped.ts';
import { createDashboard, type Dashboard } from './dashboard/dashboard.ts';
import { pageFiles } from './dashboard/page-files.ts';
import { servedBy } from './dashboard/serve.ts';
import type { SimulatorPanel } from './dashboard/simulator-panel.ts';
import type { Omission } from './devices/discovery/left-out.ts';
import { messageOf, StartError } from './domain/errors.ts';
import type { LogOf } from './domain/log.ts';
import type { Clock } from './domain/time.ts';
import { createAccess } from './http/access.ts';
import { type AppOptions, createHandler } from './http/app.ts';
import { Guesses } from './http/guesses.ts';
import type { HealthChecks } from './http/health.ts';
import { type Certificate, type Listener, listen } from './http/listen.ts';
import type { Metrics } from './http/metrics.ts';
import { sessionApi } from './http/session-api.ts';
import type { Tokens } from './http/tokens.ts';
import { tokensApi } from './http/tokens-api.ts';
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts';
import type { Undo } from './undo.ts';

/** What the doors of a gateway open to, and where they are. */
export interface DoorsOptions {
  readonly name: string;
  readonly version: string;
  /** The configuration as it is now. */
  readonly home: () => HomeConfig;
  readonly dataFolder: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly tokens: Tokens;
  /** 32 secret bytes that sign what MCP clients bring back. */
  readonly stateKey: Uint8Array;
  /** What announced itself and is not taken in. */
  readonly leftOut: () => readonly Omission[];
  /** There where the demo home runs. */
  readonly panel?: SimulatorPanel;
  readonly checks: HealthChecks;
  readonly metrics: Metrics;
  readonly logOf: LogOf;
}

/** Doors that are open. */
export interface Doors extends Pick<Listener, 'url'> {
  /** How many clients listen just now: over MCP, and as open pages. */
  listeners(): ReturnType<McpEndpoint['listeners']> & { readonly pages: number };
  /**
   * Reads the certificate again from its files. Never rejects: of one that cannot be used the log tells, and the one before
   * stays.
   */
  renewCertificate(): Promise<void>;
}

/**
 * Opens everything through which clients come in: MCP, the API for people's tools, and the file that tells the command
 * line where they are.
 * @param undo takes what closes them again, to be done in reverse
 * @throws StartError where the address cannot be had, or its certificate cannot be used
 */
export async function openDoors(options: DoorsOptions, undo: Undo[]): Promise<Doors> {
  const { home, dataFolder, host, port, tokens } = options;
  const { tls, limits } = home().server;
  let certificate = tls && (await readCertificate(tls));
  const { mcp, dashboard, app } = buildDoors(options);
  const listener = await listen(createHandler(app), { host, port }, { ...limits, ...(certificate && { certificate }) });
  undo.push(() => listener.close());
  const log = options.logOf('http');
  const tellAddress = async () => {
    const cert = certificate && { cert: new X509Certificate(certificate.cert).toString() };
    const address = { url: listener.url, pid: process.pid, token: tokens.localToken, ...cert };
    // On a full disk, devices are read all the same: only the command line does not find its way.
    await writeDaemonFile(dataFolder, address).catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, 'the other commands of this machine will not find the gateway'),
    );
  };
  await tellAddress();
  undo.push(() => removeDaemonFile(dataFolder));
  // Closed before the listener: waiting calls are answered while their connections still stand.
  undo.push(async () => {
    dashboard.close();
    await mcp.close();
  });
  const renewCertificate = async () => {
    if (!tls) return;
    try {
      const next = await readCertificate(tls);
      if (certificate?.cert.equals(next.cert) && certificate.key.equals(next.key)) return;
      listener.renew?.(next);
      certificate = next;
      await tellAddress();
      log.info({}, 'the certificate was read again, and new connections are shown it');
    } catch (error) {
      log.error({ error: messageOf(error) }, 'the certificate was read again and cannot be used; the one before stays');
    }
  };
  const listeners = () => ({ ...mcp.listeners(), pages: dashboard.pages() });
  return { url: listener.url, listeners, renewCertificate };
}

/** What stands behind the listener, without one. */
export function buildDoors(options: Omit<DoorsOptions, 'dataFolder' | 'port'>): {
  readonly mcp: McpEndpoint;
  readonly dashboard: Dashboard;
  readonly app: AppOptions;
} {
  const { name, version, home, host, commands, clock, tokens, stateKey, leftOut, panel, checks, metrics, logOf } =
    options;
  const { tls, limits, allowed_hosts: allowedHosts, allowed_origins: allowedOrigins } = home().server;
  const log = logOf('http');
  const onError = (error: Error) => log.error({ error: error.message, stack: error.stack }, 'a request failed inside');
  const mcp = createMcpEndpoint({
    name,
    version,
    commands,
    clock,
    get inlineWaitMs() {
      return home().tasks.inline_wait;
    },
    get modelMayAnswer() {
      return home().approvals.model_may_answer;
    },
    maxStreams: limits.streams,
    stateKey,
    onError,
    onRejected: (error) => logOf('mcp').debug({ error: error.message }, 'a request was rejected'),
  });
  const guesses = new Guesses(clock);
  const access = createAccess(tokens, { clock, requestsPerSecond: limits.requests_per_second, guesses });
  tokens.onShutOut((principal) => mcp.dismiss(principal));
  const dashboard = createDashboard({
    name,
    version,
    commands,
    clock,
    leftOut,
    ...(panel && { panel }),
    onError: (error) => logOf('dashboard').error({ error: error.message, stack: error.stack }, 'the page met a fault'),
  });
  const api = Router();
  api.use(dashboard.api, tokensApi(tokens, servedBy(onError)));
  const app: AppOptions = {
    name,
    version,
    checks,
    metrics: metrics.serve,
    mcp,
    signIn: sessionApi(tokens, guesses),
    api,
    page: pageFiles(join(dirname(shippedPath('')), 'dist', 'page')),
    access,
    host,
    allowedHosts,
    allowedOrigins,
    tls: tls !== undefined,
    bodyBytes: limits.body,
    onError,
  };
  return { mcp, dashboard, app };
}

async function readCertificate(files: { readonly cert: string; readonly key: string }): Promise<Certificate> {
  const read = (key: 'cert' | 'key') =>
    readFile(files[key]).catch((error: unknown) => {
      throw new StartError(`server.tls.${key} cannot be read: ${messageOf(error)}`, 2);
    });
  return { cert: await read('cert'), key: await read('key') };
}
