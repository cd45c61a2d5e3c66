import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { LOG_AREAS } from '../../gateway/domain/log.ts';
import { masked } from '../../gateway/domain/mask.ts';
import { Logs } from '../../gateway/logs.ts';

let written: string[];

beforeEach(() => {
  written = [];
});

function open(secrets: readonly string[] = []): Logs {
  const logs = new Logs({ write: (line) => void written.push(line) });
  logs.hide(secrets);
  return logs;
}

const messages = () => written.map((line) => JSON.parse(line).msg);

describe('a level', () => {
  it('holds for every area that has none of its own', () => {
    const logs = open();
    logs.setLevels({ level: 'warn', areas: { transports: 'debug', store: 'silent' } });
    for (const area of LOG_AREAS) {
      logs.of(area).debug({}, `${area} debug`);
      logs.of(area).warn({}, `${area} warn`);
    }
    const rest = LOG_AREAS.filter((area) => !['transports', 'store'].includes(area)).map((area) => `${area} warn`);
    expect(messages().sort()).toEqual(['transports debug', 'transports warn', ...rest].sort());
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ area: 'gateway', level: 40, msg: 'gateway warn' });
  });

  it('can be changed for logs that have been handed out', () => {
    const logs = open();
    const log = logs.of('mcp');
    log.debug({}, 'not yet');
    logs.setLevels({ level: 'info', areas: { mcp: 'debug' } });
    log.debug({}, 'now');
    logs.of('http').debug({}, 'not this one');
    expect(messages()).toEqual(['now']);
  });
});

describe('a secret', () => {
  it.each([
    ['of the configuration', { detail: 'the device said hunter22!' }],
    ['with quotes in it', { detail: 'said hun"ter\\33 today' }],
    ['in an authorization header', { headers: { authorization: 'Digest username="x"' } }],
    ['in a header of a text', { detail: '{"Authorization":"Token abcdefgh"}' }],
    ['in a bearer token', { detail: 'sent Bearer abcdefgh.ijkl' }],
    ['in a login', { detail: 'sent Basic YWJjZGVmZ2g6aWprbA==' }],
    ['in an address', { url: 'mqtt://me:abcdefgh@192.0.2.1:1883/x' }],
    ['with an @ in an address', { url: 'http://me:abc@defgh@192.0.2.1/' }],
    ['in a query', { url: 'http://192.0.2.1/x?a=1&api_key=abcdefgh&b=2' }],
    ['under its own name', { password: 'abcdefgh', nested: { access_token: 'abcdefgh', 'x-api-key': 'abcdefgh' } }],
  ])('%s is in no line', (_, details) => {
    const log = open(['hunter22', 'hun"ter\\33', 'hunter22-and-longer']).of('transports');
    log.info(details, 'something happened at 192.0.2.1');
    const [line = ''] = written;
    expect(JSON.parse(line).msg).toBe('something happened at 192.0.2.1');
    expect(line).toContain('***');
    expect(line).not.toMatch(/hunter|hun\\*"ter|abcdefgh|defgh|YWJj|username=/);
  });

  it('that begins like another one hides it whole', () => {
    expect(masked('hunter22-and-longer', ['hunter22', 'hunter22-and-longer'])).toBe('***');
  });

  it('stays one when the configuration has another', () => {
    const logs = open(['first-secret']);
    logs.hide(['second-secret']);
    logs.of('gateway').info({ detail: 'first-secret second-secret' }, 'x');
    expect(JSON.parse(written[0] ?? '').detail).toBe('*** ***');
  });

  it('is not seen in what is none', () => {
    const text = 'the Basic idea: http://192.0.2.1/state?key_count=3 and "tokens":[] at Bearer 12';
    expect(masked(text, ['', 'a', 'the'])).toBe(text);
  });
});

describe('the secrets of a configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'readback-logs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are known wherever they are written, and shown in no mistake', async () => {
    writeFileSync(join(folder, 'secrets.yaml'), 'broker_login: from-the-file\n');
    const yaml = (extra: string) => `
mqtt: { broker: 192.0.2.1, username: me, password: !secret broker_login }
tokens: [{ name: anna, token: written-in-the-file }]
devices:
  lamp:
    kind: light
    http: { base: http://192.0.2.2 }
    requests:
      status: { get: /state, headers: { X-Api-Key: key-of-the-lamp, authorization: !env_var LAMP_TOKEN } }
    fields: { power: { read: { request: status, path: on } } }
${extra}`;
    const file = join(folder, 'home.yaml');
    const env = { LAMP_TOKEN: 'from-the-environment' };
    writeFileSync(file, yaml(''));
    const { secrets } = await loadConfig(file, env);
    expect([...secrets].sort()).toEqual([
      'from-the-environment',
      'from-the-file',
      'key-of-the-lamp',
      'written-in-the-file',
    ]);
    writeFileSync(file, yaml('written-in-the-file: 1\nkey-of-the-lamp: 2\n'));
    const error = await loadConfig(file, env).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/unknown key "\*\*\*"/);
    expect(String(error)).not.toMatch(/written-in|key-of/);
  });
});
