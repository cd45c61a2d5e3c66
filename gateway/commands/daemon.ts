import { resolve } from 'node:path';
import { pino } from 'pino';
import { exposedFiles } from '../config/exposed-files.ts';
import { type LoadedHome, loadConfig } from '../config/load.ts';
import type { LogConfig } from '../config/schema-log.ts';
import { templateMistake } from '../devices/template.ts';
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
  readonly logLevel?: string;
}

/** A daemon that runs in this process. */
export interface RunningDaemon {
  readonly gateway: Gateway;
  /** Null where a home of its own runs. */
  readonly demo: Demo | null;
  readonly dataFolder: string;
  readonly log: Logger;
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
    const gateway = await startGateway({ home, dataFolder, host, port, log });
    if (gateway.brokerUrl) demo?.joinBroker(gateway.brokerUrl);
    const close = async () => {
      await gateway.close();
      await demo?.simulator.close();
    };
    return { gateway, demo, dataFolder, log, close };
  } catch (error) {
    await demo?.simulator.close();
    throw error;
  }
}

function given({ host, port }: StartOptions): { host?: string; port?: number } {
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
}
