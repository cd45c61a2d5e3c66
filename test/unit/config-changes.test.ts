import { expect, it } from 'vitest';
import { changesBetween } from '../../gateway/config/changes.ts';
import { type HomeConfig, homeConfigSchema } from '../../gateway/config/schema.ts';

const lamp = (topic: string) => ({ kind: 'light', fields: { power: { write: { topic } } } });
const home = (more: object = {}): HomeConfig =>
  homeConfigSchema.parse({ devices: { a: lamp('a/set'), b: lamp('b/set') }, ...more });

it('nothing has changed where the same is written in another way', () => {
  const nothing = { devices: { added: [], changed: [], removed: [] }, settings: [], later: [] };
  expect(changesBetween(home(), home({ tasks: { ttl: '5m' }, server: { port: 8730 } }))).toEqual(nothing);
});

it('devices are told apart by what is written of them, down to the last key', () => {
  const next = home({ devices: { c: lamp('c/set'), b: { ...lamp('b/set'), verify: { deadline: '7s' } } } });
  expect(changesBetween(home(), next).devices).toEqual({ added: ['c'], changed: ['b'], removed: ['a'] });
});

it('settings are named, with nothing of what they hold', () => {
  const token = { name: 'anna', token: 'a-token-for-anna' };
  const next = home({
    tokens: [token],
    tasks: { ttl: '1m', inline_wait: '2s' },
    approvals: { ttl: '1h' },
    log: { level: 'debug' },
    server: { host: '127.0.0.2', limits: { streams: 7 } },
    data: 'elsewhere',
    mqtt: { broker: '192.0.2.1', username: 'me', password: 'hunter22' },
  });
  const changes = changesBetween(home(), next);
  expect(changes).toMatchObject({
    settings: ['tokens', 'tasks.ttl', 'tasks.inline_wait', 'approvals.ttl', 'log.level'],
    later: ['server.host', 'server.limits', 'data', 'mqtt.broker', 'mqtt.embedded'],
  });
  expect(JSON.stringify(changes)).not.toMatch(/anna|hunter22/);
});

it('a broker that is needed for the first time counts from the next start', () => {
  const http = { kind: 'light', http: { base: 'http://192.0.2.1' }, requests: { s: { get: '/' } } };
  const without = homeConfigSchema.parse({
    devices: { a: { ...http, fields: { power: { read: { request: 's' } } } } },
  });
  expect(without.mqtt).toBeNull();
  expect(changesBetween(without, home())).toMatchObject({ later: ['mqtt'] });
});
