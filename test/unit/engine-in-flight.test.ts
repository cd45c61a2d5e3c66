import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { Bench } from '../support/engine-bench.ts';
import { device, field, option, POLLED } from '../support/histories.ts';

const YES = { approved: true, by: 'anna', through: 'test' };

/** Its temperature needs a person, its fan does not. */
const delicate = device(
  [
    field('target_temperature', { readback: POLLED, approval: { type: 'always' } }),
    option('fan_mode', ['auto', 'low', 'high'], { readback: POLLED }),
  ],
  { pollMs: [1_000] },
);

/** An older command, just approved, waits for a newer one that is in flight. */
async function approvedBehindOneInFlight(): Promise<{ bench: Bench; older: Actuation; newer: Actuation }> {
  const bench = await new Bench(delicate).start();
  const older = await bench.submit({ target_temperature: 26 });
  const newer = await bench.submit({ fan_mode: 'high' });
  await bench.clock.pass(1_500);
  await bench.engine.answer(older.taskId, 'anna', YES);
  expect([await bench.verdict(older), await bench.verdict(newer)]).toEqual(['queued', 'verifying']);
  return { bench, older, newer };
}

async function expectOneAfterTheOther({ bench, older, newer }: Awaited<ReturnType<typeof approvedBehindOneInFlight>>) {
  await bench.clock.pass(30_000);
  expect(await bench.verdict(newer)).toBe('verified at 4500');
  expect(await bench.verdict(older)).toMatch(/^verified/);
  expect(bench.ac.sends).toEqual([
    { mono: 0, wants: { fan_mode: 'high' } },
    { mono: 4_500, wants: { target_temperature: 26 } },
  ]);
}

describe('a command in flight', () => {
  it('stays before an older one that waited for a person, over a restart', async () => {
    const home = await approvedBehindOneInFlight();
    await home.bench.restart();
    await expectOneAfterTheOther(home);
  });

  it('stays before an older one that waited for a person, where the device goes and returns', async () => {
    const home = await approvedBehindOneInFlight();
    home.bench.tell('gone');
    home.bench.tell('present');
    await expectOneAfterTheOther(home);
  });

  it('is followed beside others that had been sent when the gateway stopped', async () => {
    const bench = await new Bench().start();
    const first = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(1_000);
    const second = await bench.submit({ fan_mode: 'high' });
    const sent = await bench.engine.get(first.taskId, 'anna');
    const { phase, sentAt, deadline, sends } = sent ?? first;
    expect(phase).toBe('verifying');
    const fields = second.fields.map((track) => ({ ...track, sentAt }));
    const alsoSent = { ...second, phase, sentAt, deadline, sends, fields };
    bench.ac.truth['fan_mode'] = 'high';
    void bench.engine.stop();
    await bench.store.put(alsoSent);
    await bench.restart();
    const third = await bench.submit({ target_temperature: 20 });
    expect(await bench.verdict(first)).toMatch(/^superseded/);
    await bench.clock.pass(30_000);
    expect(await bench.verdict(second)).toMatch(/^verified/);
    expect(await bench.verdict(third)).toMatch(/^verified/);
    expect(bench.ac.sends.map(({ wants }) => wants)).toEqual([{ target_temperature: 26 }, { target_temperature: 20 }]);
  });
});

describe('a device that goes', () => {
  it('while a command looks at it has that command begin once, when it is back', async () => {
    const bench = await new Bench().start();
    bench.ac.answerMs = 1_000;
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(500);
    bench.tell('gone');
    await bench.clock.pass(5_000);
    expect(await bench.verdict(task)).toBe('queued');
    expect(bench.ac.sends).toEqual([]);
    bench.tell('present');
    await bench.clock.pass(20_000);
    expect(await bench.verdict(task)).toMatch(/^verified/);
    expect(bench.ac.sends).toHaveLength(1);
  });

  it('before anything of a command has left ends it, and the next one goes on when it is back', async () => {
    const bench = await new Bench().start();
    let end = () => {};
    bench.ac.onSend = () => new Promise((resolve) => (end = resolve));
    const task = await bench.submit({ target_temperature: 26 });
    const next = await bench.submit({ fan_mode: 'high' });
    await bench.clock.pass(10);
    expect(await bench.verdict(task)).toBe('sending');
    bench.tell('gone');
    bench.tell('present');
    bench.ac.onSend = null;
    end();
    await bench.clock.pass(20_000);
    const { outcome, fields } = (await bench.engine.get(task.taskId, 'anna')) ?? task;
    expect(outcome).toMatchObject({ verdict: 'unreachable', reason: 'offline' });
    expect(fields[0]?.detail).toBe('the device went away before this could leave');
    expect(await bench.verdict(next)).toMatch(/^verified/);
  });

  it('while the intent goes to the disk ends the command: nobody is there to send it', async () => {
    const bench = await new Bench().start();
    const put = bench.store.put.bind(bench.store);
    bench.store.put = async (actuation) => {
      if (actuation.phase === 'sending') bench.tell('gone');
      await put(actuation);
    };
    const task = await bench.submit({ target_temperature: 26 });
    await bench.clock.pass(10);
    expect(await bench.verdict(task)).toMatch(/^unreachable/);
    expect(bench.ac.sends).toEqual([]);
  });
});
