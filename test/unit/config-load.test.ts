import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { ConfigError } from '../../gateway/config/problems.ts';
import { shippedPath } from '../../gateway/config/shipped.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readback-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  const file = join(folder, 'home.yaml');
  await writeFile(file, yaml);
  return loadConfig(file, env);
}

/** What is wrong with a file, each as `line:column path: message`. */
async function mistakes(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const error = await load(yaml, env).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error('expected the file to be refused', { cause: error });
  return error.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

const HOME = `devices:
  lamp:
    kind: light
    http: { base: http://192.0.2.1 }
    requests:
      status: { get: /state }
      apply: { post: /set, json: { on: "{{ want.power }}" } }
    fields:
      power: { write: apply, read: { request: status, path: on } }
`;

describe('a configuration file', () => {
  it('becomes a home with every default filled in', async () => {
    const home = await load(HOME);
    expect(home).toMatchObject({
      devices: { lamp: { name: 'Lamp', kind: 'light' } },
      server: { host: '127.0.0.1', port: 8730 },
      tasks: {
        ...{ ttl: 300_000, inline_wait: 8000, keep: 7 * 86_400_000, keep_at_most: 20_000 },
        ...{ history: 365 * 86_400_000, history_at_most: 200_000_000 },
      },
      approvals: { model_may_answer: false, ttl: 900_000 },
      secrets: [],
    });
    expect(home.data).toBeUndefined();
  });

  it('names its data folder from where it lies', async () => {
    expect((await load(`${HOME}data: tasks\n`)).data).toBe(join(folder, 'tasks'));
  });

  it('tells every mistake at once, in the order of the lines', async () => {
    const found = await mistakes(
      HOME.replace('kind: light', 'kind: lamp').replace('write: apply', 'write: aply').replace('path: on', 'pth: on'),
    );
    expect(found).toEqual([
      '3:11 devices.lamp.kind: expected one of: "climate", "fan", "light", "cover", "switch", "humidifier"',
      '9:23 devices.lamp.fields.power.write: there is no request "aply"; did you mean "apply"? requests are: status, apply',
      '9:54 devices.lamp.fields.power.read: unknown key "pth"; did you mean "path"? allowed keys are: request, topic, path, template, period, events',
    ]);
  });

  it('shows a mistake as file, line and column, and asks for exit code 2', async () => {
    const error = await load(HOME.replace('light', 'lamp')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exitCode: 2 });
    expect((error as Error).message).toContain(`${join(folder, 'home.yaml')}:3:11 devices.lamp.kind: expected`);
  });

  it('is refused where there is none', async () => {
    await expect(loadConfig(join(folder, 'nowhere.yaml'), {})).rejects.toThrow('there is no such file');
    await expect(loadConfig(folder, {})).rejects.toThrow('cannot be read');
  });

  it('keeps words as they are written', async () => {
    const home = await load(HOME.replace('path: on }', 'path: on }, map: { 0300: on, true: off }, options: [on, off]'));
    expect(home.devices['lamp']?.fields['power']?.map).toEqual([
      ['0300', 'on'],
      ['true', 'off'],
    ]);
  });

  it('never makes anything but a ConfigError of a broken text', async () => {
    const damage = fc.record({ at: fc.nat(HOME.length), cut: fc.nat(12), put: fc.string({ maxLength: 12 }) });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, cut, put }) => {
        const outcome = await load(HOME.slice(0, at) + put + HOME.slice(at + cut)).catch((thrown: unknown) => thrown);
        return (
          outcome instanceof ConfigError || (typeof outcome === 'object' && outcome !== null && 'devices' in outcome)
        );
      }),
    );
  });
});

describe('templates', () => {
  const checkTemplate = (source: string) => (source.includes('}}') ? undefined : 'it has no end');
  const check = (yaml: string) => load(yaml).then(() => loadConfig(join(folder, 'home.yaml'), {}, checkTemplate));

  it('are looked at where one is written, and refused with their line', async () => {
    await expect(check(HOME)).resolves.toBeDefined();
    await expect(check(HOME.replace('want.power }}', 'want.power'))).rejects.toThrow(
      /:7:40 devices\.lamp\.requests\.apply\.json\.on: the template cannot be read: it has no end$/,
    );
  });
});

describe('YAML that is refused', () => {
  it.each([
    ['nothing in it', '# nothing\n', ['undefined:undefined : is empty: it needs devices']],
    ['a list', '- a\n', ['1:1 : expected a map, received a list']],
    ['a key twice', `${HOME}  lamp: {}\n`, ['10:3 devices.lamp: is written twice; the first is in line 2']],
    ['tabs', 'devices:\n\tlamp: {}\n', ['2:1 : YAML is indented with spaces, not with tabs']],
    ['two documents', `${HOME}---\n${HOME}`, ['10:1 : one file holds one document: remove the --- line']],
    ['an alias without anchor', `${HOME}data: *x\n`, ['10:7 data: there is no anchor &x above']],
    [
      'an alias inside itself',
      `${HOME}data: &x { a: *x }\n`,
      [expect.stringMatching(/10:15 data.a.*inside its own anchor/)],
    ],
    ['a key that is no word', `${HOME}[a]: b\n`, ['10:1 : a key must be a plain word']],
    ['a key that JavaScript keeps to itself', `${HOME}__proto__: {}\n`, ['10:1 : a key must be a plain word']],
    [
      'an unknown tag',
      `${HOME}data: !include x\n`,
      [expect.stringMatching(/^10:16 data: there is no tag !include here/)],
    ],
  ])('%s', async (_, yaml, expected) => {
    expect(await mistakes(yaml)).toEqual(expect.arrayContaining(expected));
  });

  it('aliases that multiply', async () => {
    const letters = [...'abcdefghi'];
    const bomb = letters.map(
      (each, i) =>
        `${each}: &${each} [${Array(9)
          .fill(i ? `*${letters[i - 1]}` : '1')
          .join(', ')}]`,
    );
    expect(await mistakes(bomb.join('\n'))).toEqual([expect.stringContaining('use fewer aliases')]);
  });
});

describe('values from outside', () => {
  const withBase = (base: string) => HOME.replace('base: http://192.0.2.1', `base: ${base}`);
  const baseOf = async (yaml: string, env: NodeJS.ProcessEnv = {}) =>
    (await load(yaml, env)).devices['lamp']?.http?.base;

  it('come from the environment, else from the default', async () => {
    const yaml = withBase('!env_var LAMP http://192.0.2.7');
    expect(await baseOf(yaml, { LAMP: 'http://192.0.2.8' })).toBe('http://192.0.2.8');
    expect(await baseOf(yaml)).toBe('http://192.0.2.7');
  });

  it('are missed once, with their line', async () => {
    expect(await mistakes(withBase('!env_var LAMP'))).toEqual([
      '4:28 devices.lamp.http.base: the environment variable LAMP is not set; set it, or write a default: !env_var LAMP value',
    ]);
    expect(await mistakes(withBase('!secret lamp'))).toEqual([
      `4:27 devices.lamp.http.base: !secret lamp: there is no file ${join(folder, 'secrets.yaml')}`,
    ]);
  });

  it('come from secrets.yaml beside the file, are remembered, and are shown in no message', async () => {
    await writeFile(join(folder, 'secrets.yaml'), 'lamp: http://192.0.2.9\nword: hush-hush\nother: unused\n');
    const yaml = withBase('!secret lamp');
    expect(await baseOf(yaml)).toBe('http://192.0.2.9');
    expect((await load(yaml)).secrets).toEqual(['http://192.0.2.9']);
    const [message] = await mistakes(yaml.replace('write: apply', 'write: !secret word'));
    expect(message).toContain('there is no request "***"');
    expect(await mistakes(yaml.replace('!secret lamp', '!secret lmp'))).toEqual([
      expect.stringContaining('has no value for lmp'),
    ]);
    await rm(join(folder, 'secrets.yaml'));
  });
});

describe('a profile in a file', () => {
  const porch = (more: string) =>
    `devices:\n  porch:\n    use: esphome/fan\n    with:\n      base: http://192.0.2.1\n${more}`;

  it('blames what was given, where it was given', async () => {
    const given = porch('      entity: Porch\n      speed_step: fast\n');
    expect(await mistakes(given)).toContain(
      '7:19 devices.porch.fields.percentage.step: expected a number, received a text',
    );
  });

  it('leaves the rest of the home to be checked where it cannot be taken in', async () => {
    expect(await mistakes(`${porch('')}  lamp: { kind: lamp }\n`)).toEqual([
      expect.stringMatching(/^3:10 devices\.porch\.with\.entity: is missing/),
      expect.stringMatching(/^6:\d+ devices\.lamp: needs fields/),
      expect.stringMatching(/^6:\d+ devices\.lamp\.kind: expected one of/),
    ]);
  });
});

describe('the shipped homes', () => {
  it('demo.yaml describes the simulator, wherever it listens', async () => {
    const demo = await loadConfig(shippedPath('demo.yaml'), { READBACK_SIMULATOR: 'http://127.0.0.1:9' });
    const { living_room_ac: ac, bedroom_fan: fan } = demo.devices;
    expect([ac?.http?.base, fan?.http?.base]).toEqual(['http://127.0.0.1:9', 'http://127.0.0.1:9']);
    expect([ac?.name, ac?.area, ac?.kind]).toEqual(['Living-room AC', 'Living room', 'climate']);
    expect([fan?.name, fan?.area, fan?.kind]).toEqual(['Bedroom fan', 'Bedroom', 'fan']);
    expect(fan?.verify).toEqual({
      poll: [2000, 1000, 500],
      echo: 0,
      settle: 0,
      deadline: 10_000,
      watch: 120_000,
      level: 3,
      confirm: false,
      resend: 0,
    });
  });

  it('example.yaml loads as it is', async () => {
    const example = await loadConfig(shippedPath('example.yaml'), {});
    expect(Object.keys(example.devices)).toEqual(['office_ac', 'porch_fan', 'bedroom_ac']);
  });
});
