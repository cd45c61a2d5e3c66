import { resolve } from 'node:path';
import { pino } from 'pino';
import { exposedFiles } from '../config/exposed-files.ts';
import { type LoadedHome, loadConfig } from '../config/load.ts';
import type { LogConfig } from '../config/schema-log.ts';
import { templateMistake } from '../devices/template.ts';
import { messageOf } from '../domain/errors.ts';
import type { Log, LogArea, LogLevel } from '../domain/log.ts';
import { Logs } from '../logs.ts';
import { type Gateway, startGateway } from '../main.ts';
import { defaultData } from './data-options.ts';
import { type Demo, startDemo } from './demo.ts';

/** How a daemon is started, as the command line says it. */
export interface StartOptions {
  /** Without it the demo home runs. */
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly simulatorPort: number;
  /** How long the simulated devices take to act, in ms. */
  readonly delay: number;
  readonly logLevel?: LogLevel;
}

/** A daemon that runs in this process. */
export interface RunningDaemon {
  readonly gateway: Gateway;
  /** Null where a home of its own runs. */
  readonly demo: Demo | null;
  readonly dataFolder: string;
  readonly log: Log;
  /**
   * Reads the configuration again and takes over what has changed, or says why not and goes on as it was. Null for the
   * demo, which has none.
   */
  readonly reload: (() => Promise<void>) | null;
  close(): Promise<void>;
}

/**
 * Starts the gateway of a configuration, or that of the demo with its simulator. It prints nothing to standard output.
 * @throws StartError, StoreError or ConfigError, each in words for the person who starts it
 */
export async function startDaemon(options: StartOptions): Promise<RunningDaemon> {
  const demo =
    options.config === undefined
      ? await startDemo({ simulatorPort: options.simulatorPort, delayMs: options.delay })
      : null;
  try {
    const load = () => loadConfig(String(options.config), process.env, templateMistake);
    const home = demo ? demo.home : await load();
    const logs = new Logs(pino.destination(2));
    logs.hide(home.secrets);
    logs.setLevels(levelsOf(home, options));
    const logOf = (area: LogArea) => logs.of(area);
    const log = logs.of('gateway');
    for (const file of await exposedFiles(home.privateFiles)) {
      log.warn({ file }, 'others can read this file, and a secret is in it: chmod 600 keeps it to its owner');
    }
    const dataFolder = resolve(options.data ?? home.data ?? defaultData(options.config));
    const { host, port } = { ...home.server, ...given(options) };
    const gateway = await startGateway({ home, dataFolder, host, port, logOf, ...(demo && { panel: demo.panel }) });
    if (gateway.brokerUrl) demo?.joinBroker(gateway.brokerUrl);
    const close = async () => {
      await gateway.close();
      await demo?.simulator.close();
    };
    const reload = async () => {
      try {
        const next = await load();
        logs.hide(next.secrets);
        await gateway.reload(next);
        logs.setLevels(levelsOf(next, options));
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the configuration cannot be taken over; everything stays as it was');
      }
    };
    return { gateway, demo, dataFolder, log, reload: demo ? null : inTurn(reload), close };
  } catch (error) {
    await demo?.simulator.close();
    throw error;
  }
}

/** The command line goes over the file. Under the demo a person is watching, who is told in sentences what settles. */
function levelsOf({ log }: LoadedHome, { config, logLevel }: StartOptions): LogConfig {
  if (logLevel !== undefined) return { level: logLevel, areas: {} };
  return config === undefined ? { level: 'warn', areas: {} } : log;
}

/** Each call begins when the one before has ended. */
function inTurn(work: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(work);
    return last;
  };
}

function given({ host, port }: StartOptions): { host?: string; port?: number } {
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
}
