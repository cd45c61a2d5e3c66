import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../domain/errors.ts';
import { isSecretName, masked } from '../domain/mask.ts';
import { type Checked, type CheckTemplate, checkHome } from './check.ts';
import { texts } from './plain.ts';
import { ConfigError, displayName, inReadingOrder } from './problems.ts';
import type { HomeConfig } from './schema.ts';
import type { DeviceConfig } from './schema-device.ts';
import type { MqttConfig } from './schema-mqtt.ts';
import { Secrets } from './secrets.ts';
import { fromPlain, type SourceNode, toPlain } from './source-tree.ts';
import { readYaml } from './yaml-source.ts';

/** A shorter secret may stand in a file by chance. */
const SHORTEST_TELLING = 4;

/** A configuration that is free of mistakes. */
export interface LoadedHome extends HomeConfig {
  /** Everything in it that no log and no answer may show, wherever it is written. */
  readonly secrets: readonly string[];
  /** The files in which secrets stand, so that nobody but their owner should be able to read them. */
  readonly privateFiles: readonly string[];
}

/**
 * Reads a configuration file with everything that it takes in: secrets, environment, profiles.
 * @param env where `!env_var` looks
 * @param checkTemplate looks at every text of a device that holds a template; without it templates are not looked at
 * @returns the home with every default filled in; relative paths (`data`, certificates) have become absolute
 * @throws ConfigError with every mistake that was found
 */
export async function loadConfig(
  path: string,
  env: NodeJS.ProcessEnv,
  checkTemplate?: CheckTemplate,
): Promise<LoadedHome> {
  const file = displayName(path);
  const secrets = new Secrets(displayName(join(dirname(path), 'secrets.yaml')), env);
  const written = await readConfigFile(path, file);
  const { root, problems } = readYaml(written, file, secrets.readTag);
  if (!root && problems.length === 0) problems.push({ file, path: '', message: 'is empty: it needs devices' });
  const checked: Checked = root ? checkHome(root, checkTemplate) : { problems: [] };
  const early = [...secrets.problems, ...problems];
  // What could not be read is missing further on: once is enough.
  const late = checked.problems.filter((problem) => !early.some(({ path }) => path !== '' && path === problem.path));
  const hidden = root ? [...new Set([...secrets.served, ...secretsIn(root)])] : secrets.served;
  const all = [...early, ...late].map((problem) => ({ ...problem, message: masked(problem.message, hidden) }));
  if (!checked.home || all.length > 0) throw new ConfigError(inReadingOrder(all, file));
  const { home } = checked;
  const folder = dirname(path);
  const data = home.data === undefined ? {} : { data: resolve(folder, home.data) };
  const server = withAbsoluteTls(home.server, folder);
  const mqtt = withAbsoluteFiles(home.mqtt, folder);
  const holdsSecrets = hidden.some((secret) => secret.length >= SHORTEST_TELLING && written.includes(secret));
  const privateFiles = [holdsSecrets ? path : undefined, secrets.readFrom, server.tls?.key, mqtt?.broker?.tls?.key];
  return {
    ...home,
    ...data,
    server,
    mqtt,
    secrets: hidden,
    privateFiles: privateFiles.filter((each) => each !== undefined),
  };
}

function withAbsoluteTls({ tls, ...server }: HomeConfig['server'], folder: string): HomeConfig['server'] {
  if (!tls) return server;
  return { ...server, tls: { cert: resolve(folder, tls.cert), key: resolve(folder, tls.key) } };
}

function withAbsoluteFiles(mqtt: MqttConfig | null, folder: string): MqttConfig | null {
  if (!mqtt?.broker?.tls) return mqtt;
  const files = Object.entries(mqtt.broker.tls).map(([key, file]) => [key, resolve(folder, file)]);
  return { ...mqtt, broker: { ...mqtt.broker, tls: Object.fromEntries(files) } };
}

/**
 * Checks one entry of `devices:` that comes from a program and not from a file.
 * @throws ConfigError with every mistake that was found
 */
export function parseDevice(json: unknown, id = 'device'): DeviceConfig {
  const file = 'device';
  const { home, problems } = checkHome(fromPlain({ devices: { [id]: json } }, file));
  const device = home?.devices[id];
  if (!device) throw new ConfigError(inReadingOrder(problems, file));
  return device;
}

async function readConfigFile(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const message = missing ? 'there is no such file' : `cannot be read: ${messageOf(error)}`;
    throw new ConfigError([{ file, path: '', message }]);
  }
}

/** What stands under a name for secrets; a template is none. */
function secretsIn(root: SourceNode): string[] {
  const named = texts(toPlain(root), []).filter(([path, text]) => isSecretName(String(path.at(-1))) && text !== '');
  return named.map(([, text]) => text).filter((text) => !/\{[{%]/.test(text));
}
