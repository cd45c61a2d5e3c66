import { describe, expect, it } from 'vitest';
import { Engine } from '../../gateway/actuation/engine.ts';
import type { DeviceChange } from '../../gateway/domain/device.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { device, field, POLLED } from '../support/histories.ts';
import { ScriptedDevice } from '../support/scripted-device.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const SPEC = device([field('target_temperature', { min: 16, max: 30, step: 1, readback: POLLED })]);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function started() {
  const clock = new VirtualClock();
  const ac = new ScriptedDevice(SPEC, clock, { target_temperature: 24 });
  const { tasks, habits, aftermaths, history } = memoryHomeStore();
  let change: (news: DeviceChange) => void = () => {};
  const engine = new Engine({
    devices: {
      list: () => [ac],
      subscribe: (listener) => {
        change = listener;
        return () => {};
      },
    },
    store: tasks,
    habits,
    aftermaths,
    history,
    clock,
    log: silent,
    ttlMs: 300_000,
    approvalTtlMs: 900_000,
  });
  await engine.start();
  const heard: string[] = [];
  const stop = engine.onDevice(({ type, deviceId }) => heard.push(`${type} ${deviceId}`));
  return { ac, heard, stop, clock, change: (news: DeviceChange) => change(news) };
}

describe('news of a device', () => {
  it('comes with a value that is new, and not with one that is read again', async () => {
    const { ac, heard } = await started();
    await ac.read();
    await ac.read();
    expect(heard).toEqual(['state ac']);
    ac.truth.target_temperature = 25;
    await ac.read();
    expect(heard).toEqual(['state ac', 'state ac']);
  });

  it('comes when a device comes, is described anew, and goes', async () => {
    const { ac, heard, change, clock } = await started();
    const fan = new ScriptedDevice({ ...SPEC, id: 'fan' }, clock, {});
    change({ type: 'present', device: fan });
    change({ type: 'present', device: ac });
    change({ type: 'gone', device: fan });
    expect(heard).toEqual(['present fan', 'present ac', 'gone fan']);
  });

  it('ends when nobody wants it any more', async () => {
    const { ac, heard, stop } = await started();
    stop();
    await ac.read();
    expect(heard).toEqual([]);
  });
});
