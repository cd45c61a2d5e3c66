import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { device, field, POLLED } from '../support/histories.ts';
import { ScriptedDevice } from '../support/scripted-device.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const KEY = '2f6d1c1e-9d0b-4f6f-8f0e-3b5c6c7d8e9f';
const SPEC = device([field('target_temperature', { min: 16, max: 30, step: 1, readback: POLLED })]);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A gateway over one device, which can be started anew over the same store. */
class Bench {
  readonly clock = new VirtualClock();
  readonly kept = memoryHomeStore();
  readonly ac = new ScriptedDevice(SPEC, this.clock, { target_temperature: 24 });
  engine = this.#build();

  async restart(): Promise<void> {
    void this.engine.stop();
    this.engine = this.#build();
    await this.engine.start();
  }

  submit(celsius: unknown, key: string = KEY, principal = 'anna') {
    return this.engine.submit({ deviceId: 'ac', set: { target_temperature: celsius }, principal, key });
  }

  #build(): Engine {
    const { clock, kept, ac } = this;
    return new Engine({
      devices: { list: () => [ac], subscribe: () => () => {} },
      store: kept.tasks,
      habits: kept.habits,
      aftermaths: kept.aftermaths,
      history: kept.history,
      clock,
      log: silent,
      ttlMs: 300_000,
      approvalTtlMs: 900_000,
    });
  }
}

async function started(): Promise<Bench> {
  const bench = new Bench();
  await bench.engine.start();
  return bench;
}

describe('a wish with a key', () => {
  it('makes one task, however often and however closely it comes', async () => {
    const bench = await started();
    const tasks = await Promise.all(Array.from({ length: 20 }, () => bench.submit(26)));
    expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(1);
    await bench.clock.pass(10_000);
    expect(bench.ac.sends).toHaveLength(1);
  });

  it('gives the task as it is by then, settled too, and after a restart', async () => {
    const bench = await started();
    const first = await bench.submit(26);
    await bench.clock.pass(10_000);
    await bench.restart();
    expect(await bench.submit(26)).toMatchObject({ taskId: first.taskId, outcome: { verdict: 'verified' } });
    expect(bench.ac.sends).toHaveLength(1);
  });

  it('gives a refusal again as it was', async () => {
    const bench = await started();
    const first = await bench.submit(99);
    expect(first.outcome).toMatchObject({ verdict: 'rejected' });
    expect(await bench.submit(99)).toEqual(first);
  });

  it('is refused with other values, whether the first is on its way or still coming in', async () => {
    const bench = await started();
    const [first, second] = await Promise.allSettled([bench.submit(26), bench.submit(25)]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'key_reused' } });
    await expect(bench.submit('26')).rejects.toMatchObject({ code: 'key_reused' });
  });

  it('is another for another principal', async () => {
    const bench = await started();
    const [hers, his] = await Promise.all([bench.submit(26), bench.submit(25, KEY, 'ben')]);
    expect(his?.taskId).not.toBe(hers?.taskId);
  });

  it('is new again once its task is forgotten', async () => {
    const bench = await started();
    const first = await bench.submit(26);
    await bench.clock.pass(10_000);
    await bench.kept.tasks.remove([String(first?.taskId)]);
    expect(await bench.submit(25)).toMatchObject({ outcome: null });
  });

  it('does not keep the first call’s failure for the second', async () => {
    const bench = await started();
    const nothing = { deviceId: 'ac', set: {}, principal: 'anna', key: KEY };
    const [first, second] = await Promise.allSettled([bench.engine.submit(nothing), bench.submit(26)]);
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'nothing_to_do' } });
    expect(second.status).toBe('fulfilled');
  });

  it('takes no key that could be guessed or written down wrongly', async () => {
    const bench = await started();
    const bad = fc.oneof(
      fc.string({ maxLength: 15 }),
      fc.stringMatching(/^[\w.:-]{16,128}[^\w.:-]$/),
      fc.stringMatching(/^[\w.:-]{129,140}$/),
    );
    await fc.assert(
      fc.asyncProperty(bad, async (key) => {
        await expect(bench.submit(26, key)).rejects.toMatchObject({ code: 'bad_value' });
      }),
      { numRuns: 50 },
    );
  });
});
