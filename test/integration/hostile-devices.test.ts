import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { DeviceHome, ending } from '../support/device-home.ts';
import {
  answering,
  type Behaviour,
  cutShort,
  dripping,
  endlessHeaders,
  garbage,
  HostileHttp,
  huge,
  reset,
  silent,
} from '../support/hostile-http.ts';
import { deadBase } from '../support/scripted-http.ts';

const GOOD = answering('{"power": "ON", "room": 21}');
const HTML = answering('<html>busy</html>', 'HTTP/1.1 200 OK\r\nContent-Type: text/html');
const OTHER_TYPE = answering('{"power": "ON"}', 'HTTP/1.1 200 OK\r\nContent-Type: image/png');
const BAD_BYTES = answering(Buffer.from([...Buffer.from('{"power": "O'), 0xff, ...Buffer.from('"}')]));
const BAD_NAME = answering(Buffer.from([...Buffer.from('{"name": "B'), 0xfc, ...Buffer.from('ro", "power": "ON"}')]));
const NOT_A_NUMBER = answering('{"room": NaN, "max": -Infinity, "power": "ON"}');
const NO_VALUE = answering('{"power": NaN}');
const DEEP = answering('['.repeat(900_000));
const ZIPPED = answering(Buffer.from([0x1f, 0x8b, 8, 0]), 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip');
const BUSY = answering('busy', 'HTTP/1.1 503 Service Unavailable');

/** Where nothing can be read back, the end comes with the deadline. */
const SOON = '1500ms';
const LATE = '20s';

interface Row {
  readonly id: string;
  readonly behaviour: Behaviour;
  /** Whether the client gets an answer that is one; otherwise its patience is kept short. */
  readonly answers: boolean;
  /** How a command ends whose own answer is like this, while readings are good. */
  readonly toCommand: string;
  /** How a command ends that was taken well, while every reading is like this. */
  readonly toReads: string;
}

const ROWS: readonly Row[] = [
  { id: 'silent', behaviour: silent, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  { id: 'reset', behaviour: reset, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  { id: 'garbage', behaviour: garbage, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  { id: 'cut_short', behaviour: cutShort, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  { id: 'dripping', behaviour: dripping, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  {
    id: 'endless_head',
    behaviour: endlessHeaders,
    answers: false,
    toCommand: 'verified',
    toReads: 'unreachable/timeout',
  },
  { id: 'huge', behaviour: huge, answers: false, toCommand: 'verified', toReads: 'unreachable/timeout' },
  { id: 'page', behaviour: HTML, answers: true, toCommand: 'verified', toReads: 'ignored/no_evidence' },
  { id: 'other_type', behaviour: OTHER_TYPE, answers: true, toCommand: 'verified', toReads: 'verified' },
  { id: 'bad_bytes', behaviour: BAD_BYTES, answers: true, toCommand: 'verified', toReads: 'ignored/no_evidence' },
  { id: 'bad_bytes_elsewhere', behaviour: BAD_NAME, answers: true, toCommand: 'verified', toReads: 'verified' },
  { id: 'nan_elsewhere', behaviour: NOT_A_NUMBER, answers: true, toCommand: 'verified', toReads: 'verified' },
  {
    id: 'nan',
    behaviour: NO_VALUE,
    answers: true,
    toCommand: 'verified',
    toReads: 'ignored/no_evidence',
  },
  { id: 'nested', behaviour: DEEP, answers: true, toCommand: 'verified', toReads: 'ignored/no_evidence' },
  { id: 'packed', behaviour: ZIPPED, answers: true, toCommand: 'verified', toReads: 'ignored/no_evidence' },
  {
    id: 'busy',
    behaviour: BUSY,
    answers: true,
    toCommand: 'rejected/device_error',
    toReads: 'ignored/no_evidence',
  },
];

function lamp(base: string, timeout: string, deadline: string) {
  const login = { authorization: 'Bearer lamp-login' };
  return {
    kind: 'light',
    http: { base, timeout },
    requests: {
      status: { get: '/status', headers: login },
      apply: { post: '/apply', json: { power: '{{ want.power }}' }, headers: login },
    },
    fields: { power: { write: 'apply', read: { request: 'status', path: 'power' }, map: { ON: 'on', OFF: 'off' } } },
    verify: { poll: ['50ms'], echo: '0s', settle: '0s', deadline },
  };
}

/** One home with a device of each kind, and between them one that must not notice. */
class Street {
  readonly servers = new Map<string, HostileHttp>();
  readonly #devices: Record<string, ReturnType<typeof lamp>> = {};
  #home: DeviceHome | undefined;

  async add(id: string, behave: (request: string) => Behaviour, timeout = '5s', deadline = LATE): Promise<void> {
    const server = await new HostileHttp(behave).start();
    this.servers.set(id, server);
    this.#devices[id] = lamp(server.base, timeout, deadline);
  }

  /** Commands all of them at once. */
  async command(): Promise<Map<string, Actuation>> {
    const home = await new DeviceHome(this.#devices).start();
    this.#home = home;
    const commanded = [...this.servers.keys()].map(
      async (id) => [id, await home.command(id, { power: 'on' })] as const,
    );
    return new Map(await Promise.all(commanded));
  }

  async stop(): Promise<void> {
    await this.#home?.stop();
    for (const server of this.servers.values()) await server.stop();
  }
}

const endings = (tasks: Map<string, Actuation>) =>
  Object.fromEntries([...tasks].map(([id, task]) => [id, ending(task)]));

describe('answers of hostile devices', () => {
  let street: Street;
  beforeEach(() => {
    street = new Street();
  });
  afterEach(() => street.stop());

  it.each<['toCommand' | 'toReads', string]>([
    ['toCommand', 'POST'],
    ['toReads', 'GET'],
  ])('lead to the right verdict, and disturb nobody else: %s', async (key, method) => {
    await street.add('neighbour', () => GOOD);
    for (const { id, behaviour, answers, ...row } of ROWS) {
      const behave = (request: string) => (request.startsWith(method) ? behaviour : GOOD);
      await street.add(id, behave, answers ? '5s' : '100ms', row[key] === 'verified' ? LATE : SOON);
    }
    const expected = Object.fromEntries(ROWS.map((row) => [row.id, row[key]]));
    expect(endings(await street.command())).toEqual({ neighbour: 'verified', ...expected });
    await street.stop();
    for (const [id, { seen, taken }] of street.servers) {
      const commands = seen.filter((request) => request.startsWith('POST')).length;
      expect(commands, `${id} is commanded once at most`).toBeLessThanOrEqual(1);
      expect(taken / seen.length, `of ${id} no more is taken than can be an answer`).toBeLessThan(8 * 1024 * 1024);
    }
  });

  it('that lead elsewhere are not followed, so that no login goes there and no command goes twice', async () => {
    const elsewhere = await new HostileHttp(() => GOOD).start();
    const places = { away: `${elsewhere.base}/status`, inside: '/status2' };
    for (const [id, location] of Object.entries(places)) {
      await street.add(id, () => answering('', `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}`));
    }
    const tasks = await street.command();
    for (const [id, location] of Object.entries(places)) {
      expect(tasks.get(id)).toMatchObject({
        outcome: { verdict: 'rejected', reason: 'device_error' },
        fields: [
          { detail: `HTTP 307 to ${location}: redirects are not followed, so write that address into http.base` },
        ],
      });
      expect(new Set(street.servers.get(id)?.seen)).toEqual(new Set(['GET /status', 'POST /apply']));
    }
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.stop();
  });
});

describe('a device that cannot be reached', () => {
  let home: DeviceHome;
  afterEach(() => home.stop());

  it.each<[string, () => Promise<string>]>([
    ['nobody listens', deadBase],
    ['nobody knows its name', async () => 'http://lamp.invalid'],
  ])('is told so where %s', async (_name, base) => {
    home = await new DeviceHome({ lamp: lamp(await base(), '1s', '500ms') }).start();
    expect(ending(await home.command('lamp', { power: 'on' }))).toBe('unreachable/timeout');
  });

  it('is not asked by everybody who wants to know, but a command tries it', async () => {
    let behaviour: Behaviour = reset;
    const server = await new HostileHttp(() => behaviour).start();
    home = await new DeviceHome({ lamp: lamp(server.base, '5s', LATE) }).start();
    const device = home.device('lamp');
    for (let time = 0; time < 10; time += 1) await device.read(['power']);
    expect(await device.read(['power'])).toMatchObject({ detail: expect.stringMatching(/^not asked: the last 3 /) });
    expect(server.seen).toHaveLength(3);
    behaviour = GOOD;
    expect(ending(await home.command('lamp', { power: 'on' }))).toBe('verified');
    expect(await device.read(['power'])).toEqual({ answered: true });
    await server.stop();
  });
});
