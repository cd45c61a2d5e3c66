import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedBroker } from '../../gateway/transports/embedded-broker.ts';
import { quietLog } from './logs.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** A broker that a test starts, stops and starts again on the same port. */
export interface TestBroker {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it for good and removes what it left behind. */
  cleanUp(): Promise<void>;
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** The gateway's own broker. What it had kept is gone after a restart. */
export async function embeddedBroker(login?: Login): Promise<TestBroker> {
  const port = await freePort();
  let close = async () => {};
  const stop = async () => {
    const closing = close;
    close = async () => {};
    await closing();
  };
  return {
    port,
    start: async () => {
      const broker = await startEmbeddedBroker({ host: '127.0.0.1', port, log: quietLog, ...(login ? { login } : {}) });
      close = () => broker.close();
    },
    stop,
    cleanUp: stop,
  };
}

/** Where Debian puts mosquitto; undefined where it is not installed. */
export const mosquittoPath = ['/usr/sbin/mosquitto', '/usr/local/sbin/mosquitto'].find((path) => existsSync(path));

/** The certificates of a broker that speaks TLS, as files. */
export interface BrokerCertificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Debian's mosquitto, as a process of its own. */
export async function mosquitto(login?: Login, certificates?: BrokerCertificates): Promise<TestBroker> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'readback-mosquitto-'));
  const config = join(folder, 'mosquitto.conf');
  const lines = [
    `listener ${port} 127.0.0.1`,
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...(certificates
      ? [`cafile ${certificates.ca}`, `certfile ${certificates.cert}`, `keyfile ${certificates.key}`]
      : []),
  ];
  if (login) {
    const passwords = join(folder, 'passwords');
    execFileSync('mosquitto_passwd', ['-b', '-c', passwords, login.username, login.password]);
    lines.push('allow_anonymous false', `password_file ${passwords}`);
  } else {
    lines.push('allow_anonymous true');
  }
  await writeFile(config, `${lines.join('\n')}\n`);
  let running: ChildProcess | undefined;
  const stop = async () => {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  };
  return {
    port,
    start: async () => {
      running = spawn(mosquittoPath ?? 'mosquitto', ['-c', config], { stdio: 'ignore' });
      await listening(port, running);
    },
    stop,
    cleanUp: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`mosquitto ended with ${child.exitCode}`);
}
