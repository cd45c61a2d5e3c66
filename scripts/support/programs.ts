import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { shippedPath } from '../../gateway/config/shipped.ts';
import type { TruthSimulatorSettings } from './truth-simulator.ts';

/** How a program ended: one of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built program of this repository that runs as a child process. */
export interface Program {
  readonly pid: number;
  /** Resolves when it has ended and all that it printed has been read. */
  readonly exited: Promise<Exit>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Tells it something. */
  tell(message: string): void;
  /** Hears what it tells its parent from now on. */
  onMessage(listener: (message: unknown) => void): void;
  /** Sends it a signal and waits for its end; one that has ended is left alone. */
  end(signal?: NodeJS.Signals): Promise<Exit>;
}

/** A child that listens, and where. */
export interface Listening {
  readonly program: Program;
  readonly url: string;
}

/** A gateway that serves; `url` is its MCP address. */
export interface ListeningGateway extends Listening {
  /** The broker in use; null where nothing of its home speaks MQTT. */
  readonly brokerUrl: string | null;
}

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Starts a built program. It does not outlive this process, however that ends: the children are killed at its exit,
 * and end by themselves when it is gone without one.
 * @param script below `dist`, as `gateway/cli.js`
 * @param env beside the environment of this process
 */
export function startProgram(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  return forkProgram(script, args, env).program;
}

/** Where the gateway is started from and where its tasks are kept. */
export interface GatewaySettings {
  /** Without it the demo home runs. */
  readonly config?: string;
  readonly dataFolder: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A gateway that is starting. */
export interface StartingGateway {
  readonly program: Program;
  /** Resolves when it serves; rejects with what it said, where it ends before. */
  readonly served: Promise<ListeningGateway>;
}

/** Starts the gateway without waiting for it. */
export function launchGatewayProgram(settings: GatewaySettings): StartingGateway {
  const { config, dataFolder, port, args = [], env = {} } = settings;
  const all = ['start', '--data', dataFolder, '--port', String(port), '--log-level', 'warn', ...args];
  const child = forkProgram('gateway/cli.js', [...all, ...(config === undefined ? [] : ['--config', config])], env);
  const { program } = child;
  const said = z.object({ mcpUrl: z.string(), brokerUrl: z.string().nullable() });
  const served = announced(child, said).then(({ mcpUrl, brokerUrl }) => ({ program, url: mcpUrl, brokerUrl }));
  return { program, served };
}

/**
 * Starts the gateway and waits until it serves.
 * @throws Error with what it said, where it ends before
 */
export function startGatewayProgram(settings: GatewaySettings): Promise<ListeningGateway> {
  return launchGatewayProgram(settings).served;
}

/**
 * Starts the simulator on a free port and waits until it serves.
 * @param brokerUrl where its MQTT devices are to announce themselves; without it there are none
 * @throws Error as above
 */
export function startSimulatorProgram(delayMs: number, brokerUrl?: string): Promise<Listening> {
  const mqtt = brokerUrl === undefined ? [] : ['--mqtt', brokerUrl];
  return startListeningProgram('simulator/cli.js', ['--port', '0', '--delay', `${delayMs}ms`, ...mqtt]);
}

/** Starts a program that tells its parent `{url}` once it serves. @throws Error as above */
export async function startListeningProgram(
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Listening> {
  const { program, told } = await startTellingProgram(script, z.object({ url: z.string() }), args, env);
  return { program, url: told.url };
}

/** Starts a simulator whose ground truth goes to a file whole, and waits until its devices have announced themselves. */
export function startTruthSimulator(settings: TruthSimulatorSettings) {
  const told = z.object({ url: z.string(), broker: z.string() });
  return startTellingProgram('scripts/support/truth-simulator.js', told, [JSON.stringify(settings)]);
}

/** Starts a program that tells its parent of this shape once it serves. @throws Error as above */
export async function startTellingProgram<T>(
  script: string,
  schema: z.ZodType<T>,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly program: Program; readonly told: T }> {
  const child = forkProgram(script, args, env);
  return { program: child.program, told: await announced(child, schema) };
}

interface Child {
  readonly process: ChildProcess;
  readonly program: Program;
}

function forkProgram(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Child {
  if (!process.listeners('exit').includes(endAll)) process.on('exit', endAll);
  const path = join(dirname(shippedPath('')), 'dist', script);
  const child = fork(path, [...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, ...env } });
  running.add(child);
  return { process: child, program: programOf(child) };
}

function programOf(child: ChildProcess): Program {
  const stdout = collected(child.stdout);
  const stderr = collected(child.stderr);
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    running.delete(child);
    return { code, signal };
  });
  return {
    pid: child.pid ?? 0,
    exited,
    stdout,
    stderr,
    tell: (message) => void child.send(message),
    onMessage: (listener) => void child.on('message', listener),
    end(signal = 'SIGKILL') {
      child.kill(signal);
      return exited;
    },
  };
}

function collected(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}

/** What a child tells its parent once it serves. */
async function announced<T>({ process: child, program }: Child, schema: z.ZodType<T>): Promise<T> {
  const message = await Promise.race([once(child, 'message'), program.exited]);
  if (Array.isArray(message)) return schema.parse(message[0]);
  throw new Error(`A program ended before it served: ${program.stderr().trim() || `exit code ${message.code}`}`);
}
