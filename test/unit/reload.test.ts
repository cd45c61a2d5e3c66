import { beforeEach, expect, it } from 'vitest';
import { type HomeConfig, homeConfigSchema } from '../../gateway/config/schema.ts';
import { buildRegistry, type DeviceRegistry } from '../../gateway/devices/registry.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { LiveHome } from '../../gateway/reload.ts';
import { RecordingLog } from '../support/logs.ts';
import { tokenRecord } from '../support/tokens.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const lamp = (name: string) => ({
  kind: 'light',
  name,
  http: { base: 'http://192.0.2.1' },
  requests: { set: { post: '/' } },
  fields: { power: { write: 'set' } },
});
const home = (more: object = {}): HomeConfig =>
  homeConfigSchema.parse({ devices: { a: lamp('A'), b: lamp('B') }, ...more });
const over = (devices: object) => homeConfigSchema.parse({ devices, mqtt: { discovery: true } });

let log: RecordingLog;
let registry: DeviceRegistry;
let tokens: Tokens;
let live: LiveHome;

beforeEach(async () => {
  log = new RecordingLog();
  const deps = { clock: new VirtualClock(), log };
  live = new LiveHome(home());
  registry = buildRegistry(live.current, deps);
  await registry.start();
  tokens = new Tokens({ configured: [], added: [tokenRecord('anna', 'read')] });
});

const take = (next: HomeConfig) =>
  live.take(next, { registry, devices: { clock: new VirtualClock(), log }, discovery: null, tokens, log });
const names = () => registry.list().map(({ spec }) => spec.name);

it('only those devices are touched that are written otherwise', async () => {
  const before = registry.get('a');
  await take(home({ devices: { a: lamp('A'), b: lamp('New'), c: lamp('C') } }));
  expect(registry.get('a')).toBe(before);
  expect(names()).toEqual(['A', 'New', 'C']);
  await take(home({ devices: { c: lamp('C') } }));
  expect(names()).toEqual(['C']);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'the configuration has a new device',
    'the configuration describes a device anew',
    'the configuration was read again',
    'the configuration has a device no more',
    'the configuration has a device no more',
    'the configuration was read again',
  ]);
});

it('nothing changes where a token is in both places', async () => {
  const next = homeConfigSchema.parse({
    devices: { a: lamp('Other') },
    tokens: [{ name: 'anna', token: 'a-token-for-anna' }],
  });
  await expect(take(next)).rejects.toThrow(/"anna"/);
  expect(names()).toEqual(['A', 'B']);
  expect(live.current.devices).toEqual(home().devices);
});

it('nothing changes where a device needs the broker that was not there at the start', async () => {
  const fan = { kind: 'fan', fields: { power: { write: { topic: 'fan/set' } } } };
  await expect(take(over({ a: lamp('Other'), fan }))).rejects.toThrow(/devices\.fan: has MQTT topics/);
  expect(names()).toEqual(['A', 'B']);
});

it('what counts from the next start stays as it is, and is told of each time', async () => {
  const next = home({ server: { port: 1 }, data: 'elsewhere', tasks: { ttl: '1m' } });
  expect((await take(next)).later).toEqual(['server.port', 'data']);
  expect(live.current).toMatchObject({ server: { port: 8730 }, tasks: { ttl: 60_000 } });
  expect(live.current.data).toBeUndefined();
  expect(await take(next)).toMatchObject({ settings: [], later: ['server.port', 'data'] });
});
