import { Router } from 'express';
import type { Commands } from './actuation/commands.ts';
import { removeDaemonFile, writeDaemonFile } from './commands/daemon-file.ts';
import type { HomeConfig } from './config/schema.ts';
import { approvalsApi } from './dashboard/approvals-api.ts';
import type { Log } from './domain/log.ts';
import type { Clock } from './domain/time.ts';
import { createAccess } from './http/access.ts';
import { createApp } from './http/app.ts';
import { type Listener, listen } from './http/listen.ts';
import { withLocalToken } from './local-token.ts';
import { createMcpEndpoint } from './mcp/endpoint.ts';

/** What the doors of a gateway open to, and where they are. */
export interface DoorsOptions {
  readonly name: string;
  readonly version: string;
  readonly home: HomeConfig;
  readonly dataFolder: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly commands: Commands;
  readonly clock: Clock;
  /** 32 secret bytes that sign what MCP clients bring back. */
  readonly stateKey: Uint8Array;
  readonly log: Log;
}

/**
 * Opens everything through which clients come in: MCP, the API for people's tools, and the file that tells the command
 * line where they are.
 * @param undo takes what closes them again, to be done in reverse
 * @throws StartError where the address cannot be had
 */
export async function openDoors(options: DoorsOptions, undo: (() => Promise<void>)[]): Promise<Listener> {
  const { name, version, home, dataFolder, host, port, commands, clock, stateKey, log } = options;
  const onError = (error: Error) => log.error({ error: error.message, stack: error.stack }, 'a request failed inside');
  const mcp = createMcpEndpoint({
    name,
    version,
    commands,
    clock,
    inlineWaitMs: home.tasks.inline_wait,
    modelMayAnswer: home.approvals.model_may_answer,
    stateKey,
    onError,
    onRejected: (error) => log.debug({ error: error.message }, 'a request was rejected'),
  });
  const { tokens, localToken } = withLocalToken(home.tokens);
  const access = createAccess(tokens);
  const api = Router();
  api.use('/approvals', access.require('approve'));
  api.use(approvalsApi({ commands, clock, onError }));
  const { allowed_hosts: allowedHosts, allowed_origins: allowedOrigins } = home.server;
  const app = createApp({ name, version, mcp, api, access, host, allowedHosts, allowedOrigins, onError });
  const listener = await listen(app, { host, port });
  undo.push(() => listener.close());
  await writeDaemonFile(dataFolder, { url: listener.url, pid: process.pid, ...(localToken && { token: localToken }) });
  undo.push(() => removeDaemonFile(dataFolder));
  // Closed before the listener: waiting calls are answered while their connections still stand.
  undo.push(() => mcp.close());
  return listener;
}
