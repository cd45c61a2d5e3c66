import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TruthEntry } from '../../simulator/core/truth.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { ManualClock } from '../support/simulator-clock.ts';

// Real sockets in virtual time: what a fault does to the wire is seen without waiting for it.
const clock = new ManualClock();
let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ clock });
});
afterEach(() => simulator.close());

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

async function request(method: string, path: string, body?: unknown): Promise<Answered> {
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: await response.json() };
}

const sensors = async () => (await request('GET', '/sensors')).body;
const command = (device: string, body: unknown) => request('POST', `/control/${device}`, body);

function nextEntry(type: TruthEntry['type']): Promise<TruthEntry> {
  return new Promise((resolve) => {
    const stop = simulator.home.truthLog.subscribe((entry) => {
      if (entry.type !== type) return;
      stop();
      resolve(entry);
    });
  });
}

const AC = {
  power: 'On',
  temperature: 24,
  mode: 'COOL',
  fan_speed: 'AUTO',
  vertical: 'AUTO',
  horizontal: 'MIDDLE',
  room_temperature: 27.5,
};
const FAN = { power: 'Off', speed: 3, vertical: 'MIDDLE', horizontal: 'MIDDLE' };

describe('the device API', () => {
  test('starts as documented, and reads one device or both', async () => {
    expect(await sensors()).toEqual({ ac: AC, fan: FAN });
    expect((await request('GET', '/sensors/fan')).body).toEqual(FAN);
  });

  test('answers with what was received, and acts four seconds later', async () => {
    expect(await command('ac', { power: 'ON', temperature: 26 })).toEqual({
      status: 200,
      body: { received: { power: 'ON', temperature: 26 } },
    });
    clock.advance(3_999);
    expect(await sensors()).toMatchObject({ ac: { temperature: 24 } });
    clock.advance(1);
    expect(await sensors()).toMatchObject({ ac: { temperature: 26 }, fan: FAN });
  });

  test('takes the fan speed and both directions', async () => {
    await command('fan', { power: 'ON', speed: 8, vertical: 'SWING', horizontal: 'NEAR' });
    clock.advance(4_000);
    expect(await sensors()).toMatchObject({ fan: { power: 'On', speed: 8, vertical: 'SWING', horizontal: 'NEAR' } });
  });

  test.each([
    ['POST', '/control/ac', { temperature: 40 }, 400, /temperature/],
    ['POST', '/control/ac', undefined, 400, /JSON object/],
    ['POST', '/control/oven', { power: 'ON' }, 404, /ac, fan/],
    ['GET', '/sensors/oven', undefined, 404, /ac, fan/],
    ['GET', '/control/ac', undefined, 404, /nothing at GET \/control\/ac/],
    ['GET', '/favicon.ico', undefined, 404, /there are \/sensors/],
    ['POST', '/sim/devices/ac/faults', { fault: 'explode' }, 404, /ignore/],
    ['POST', '/sim/devices/ac/faults', { fault: 'slow', by_ms: 'long' }, 400, /by_ms/],
    ['POST', '/sim/devices/ac/faults', undefined, 400, /./],
    ['DELETE', '/sim/devices/ac/faults/explode', undefined, 404, /ignore/],
    ['PATCH', '/sim/devices/ac', { delay: 5 }, 400, /delay/],
    ['GET', '/sim/truth/oven', undefined, 404, /ac, fan/],
  ])('%s %s with %j: %d and a reason', async (method, path, body, status, message) => {
    const answer = await request(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringMatching(message) });
  });

  test('answers text that is no JSON with 400', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${simulator.url}/control/ac`, { method: 'POST', headers, body: '{"power":' });
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('error');
  });
});

describe('faults on the wire', () => {
  test('http_500 is a status, error_in_200 is not', async () => {
    simulator.home.arm('ac', 'http_500', { times: 1 });
    expect(await command('ac', { temperature: 26 })).toMatchObject({
      status: 500,
      body: { error: expect.any(String) },
    });
    simulator.home.arm('ac', 'error_in_200', { times: 1 });
    expect(await command('ac', { temperature: 26 })).toEqual({ status: 200, body: { error: expect.any(String) } });
    clock.advance(60_000);
    expect(await sensors()).toMatchObject({ ac: AC });
  });

  test('lost_answer kills the connection, and the device acts', async () => {
    simulator.home.arm('ac', 'lost_answer');
    await expect(command('ac', { temperature: 26 })).rejects.toThrow();
    clock.advance(4_000);
    expect(await sensors()).toMatchObject({ ac: { temperature: 26 } });
  });

  test('slow answers when its time has come', async () => {
    simulator.home.arm('ac', 'slow', { by_ms: 9_000 });
    let answered = false;
    const received = nextEntry('command');
    const answer = command('ac', { temperature: 26 }).then((value) => {
      answered = true;
      return value;
    });
    await received;
    clock.advance(8_999);
    expect(await sensors()).toMatchObject({ ac: { temperature: 26 } });
    expect(answered).toBe(false);
    clock.advance(1);
    expect(await answer).toMatchObject({ status: 200, body: { received: { temperature: 26 } } });
  });

  test('slow, and off the network before it answered: the connection dies', async () => {
    simulator.home.arm('ac', 'slow', { by_ms: 9_000 });
    const received = nextEntry('command');
    const answer = expect(command('ac', { temperature: 26 })).rejects.toThrow();
    await received;
    simulator.home.arm('ac', 'offline');
    clock.advance(9_000);
    await answer;
  });

  test('slow: a caller that gives up leaves nothing behind', async () => {
    simulator.home.arm('ac', 'slow', { by_ms: 9_000 });
    const received = nextEntry('command');
    const { port } = new URL(simulator.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /control/ac HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 18\r\n\r\n',
    );
    socket.write('{"temperature":26}');
    await received;
    socket.destroy();
    await once(socket, 'close');
    clock.advance(9_000);
    expect(await sensors()).toMatchObject({ ac: { temperature: 26 } });
  });

  test('garbled answers are no JSON, of one device or of both', async () => {
    simulator.home.arm('fan', 'garbled', { times: 2 });
    for (const path of ['/sensors/fan', '/sensors']) {
      const response = await fetch(`${simulator.url}${path}`);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).not.toBe('');
      expect(() => JSON.parse(text)).toThrow(SyntaxError);
    }
    expect(await sensors()).toEqual({ ac: AC, fan: FAN });
  });

  test('offline takes one device off the network and leaves the other', async () => {
    simulator.home.arm('ac', 'offline');
    await expect(command('ac', { temperature: 26 })).rejects.toThrow();
    await expect(request('GET', '/sensors/ac')).rejects.toThrow();
    expect(await sensors()).toEqual({ fan: FAN });
    expect((await command('fan', { power: 'ON' })).status).toBe(200);
    simulator.home.clear('ac');
    expect(await sensors()).toMatchObject({ ac: AC });
  });

  test('both offline: nobody answers for them', async () => {
    simulator.home.arm('ac', 'offline');
    simulator.home.arm('fan', 'offline');
    await expect(sensors()).rejects.toThrow();
    expect((await request('GET', '/sim')).status).toBe(200);
  });

  test('flap goes away and comes back by itself', async () => {
    simulator.home.arm('ac', 'flap', { every_ms: 2_000 });
    await expect(request('GET', '/sensors/ac')).rejects.toThrow();
    clock.advance(2_000);
    expect((await request('GET', '/sensors/ac')).body).toEqual(AC);
    clock.advance(2_000);
    await expect(request('GET', '/sensors/ac')).rejects.toThrow();
  });
});

describe('the control API', () => {
  test('shows devices, timing, armed faults and the faults there are', async () => {
    await request('POST', '/sim/devices/ac/faults', { fault: 'slow', times: 2 });
    expect((await request('GET', '/sim')).body).toMatchObject({
      seed: 1,
      devices: {
        ac: {
          delay_ms: 4_000,
          jitter_ms: 0,
          reachable: true,
          state: { power: 'ON' },
          shown: { power: 'On' },
          faults: [{ fault: 'slow', times_left: 2, parameters: { by_ms: 3_000 } }],
        },
        fan: { faults: [] },
      },
      faults: { slow: { description: expect.any(String), parameters: { by_ms: { default: 3_000 } } } },
    });
  });

  test('arms for one command, clears one, clears all', async () => {
    await request('POST', '/sim/devices/ac/faults', { fault: 'http_500', times: 1 });
    expect((await command('ac', { temperature: 26 })).status).toBe(500);
    expect((await command('ac', { temperature: 26 })).status).toBe(200);
    await request('POST', '/sim/devices/ac/faults', { fault: 'ignore' });
    await request('POST', '/sim/devices/ac/faults', { fault: 'echo' });
    const one = await request('DELETE', '/sim/devices/ac/faults/echo');
    expect(one.body).toMatchObject({ faults: [{ fault: 'ignore' }] });
    const all = await request('DELETE', '/sim/devices/ac/faults');
    expect(all.body).toMatchObject({ faults: [] });
  });

  test('sets delay and state of one device', async () => {
    await request('PATCH', '/sim/devices/fan', { delay_ms: 100, state: { speed: 6 } });
    await command('fan', { power: 'ON' });
    clock.advance(100);
    expect(await sensors()).toMatchObject({ fan: { power: 'On', speed: 6 } });
  });

  test('tells the truth, and forgets it on reset', async () => {
    await command('ac', { temperature: 26 });
    clock.advance(4_000);
    await sensors();
    const truth = (await request('GET', '/sim/truth/ac')).body;
    expect(truth).toMatchObject({
      counts: { ac: { commands: 1, actuations: 1, sensor_requests: 1 } },
      entries: [{ type: 'command', body: { temperature: 26 } }, { type: 'actuation' }],
    });
    await request('POST', '/sim/reset');
    expect((await request('GET', '/sim/truth')).body).toMatchObject({ entries: [], counts: { ac: { commands: 0 } } });
    expect(await sensors()).toMatchObject({ ac: AC });
  });
});

test('in real time: a command acts no sooner than its delay', async () => {
  const real = await startSimulator({ delayMs: 80 });
  try {
    const acted = new Promise<void>((resolve) => {
      real.home.truthLog.subscribe((entry) => entry.type === 'actuation' && resolve());
    });
    await fetch(`${real.url}/control/ac`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"temperature":26}',
    });
    await acted;
    const [command, actuation] = real.home.truth('ac').entries;
    expect((actuation?.mono_ms ?? 0) - (command?.mono_ms ?? 0)).toBeGreaterThanOrEqual(80);
  } finally {
    await real.close();
  }
});

test('closing ends open connections and everything under way', async () => {
  const closing = await startSimulator({ clock });
  const { port } = new URL(closing.url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  closing.home.device('ac').receive({ temperature: 26 });
  await closing.close();
  await ended;
  expect(clock.waiting).toBe(0);
});
