import { Engine } from '../../gateway/actuation/engine.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { DeviceChange, DeviceSpec } from '../../gateway/domain/device.ts';
import type { TaskStore } from '../../gateway/domain/store.ts';
import { memoryHomeStore } from '../../gateway/store/home-store.ts';
import { device, field, option, POLLED } from './histories.ts';
import { ScriptedDevice } from './scripted-device.ts';
import { quiet, VirtualClock } from './virtual-clock.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** An air conditioner that is only known by asking. */
export const AIR_CONDITIONER = device(
  [
    field('target_temperature', { min: 16, max: 30, step: 1, readback: POLLED }),
    option('fan_mode', ['auto', 'low', 'high'], { readback: POLLED }),
  ],
  { pollMs: [2_000, 1_000, 500] },
);

/** An engine over one device in memory, on a clock of its own. */
export class Bench {
  readonly clock: VirtualClock;
  readonly store: TaskStore;
  readonly ac: ScriptedDevice;
  readonly kept = memoryHomeStore();
  readonly #listeners = new Set<(change: DeviceChange) => void>();
  engine: Engine;

  constructor(spec: DeviceSpec = AIR_CONDITIONER, store: TaskStore = memoryHomeStore().tasks) {
    this.clock = new VirtualClock();
    this.store = store;
    this.ac = new ScriptedDevice(spec, this.clock, { target_temperature: 24, fan_mode: 'auto' });
    this.engine = this.#build();
  }

  async start(): Promise<this> {
    await this.engine.start();
    return this;
  }

  /** A new process over the same store and device; nothing of the old one acts any more. */
  async restart(): Promise<void> {
    void this.engine.stop();
    this.engine = this.#build();
    await this.engine.start();
    await quiet();
  }

  /** The device withdraws, or announces itself again. */
  tell(type: DeviceChange['type']): void {
    for (const listener of this.#listeners) listener({ type, device: this.ac });
  }

  submit(set: Record<string, unknown>): Promise<Actuation> {
    return this.engine.submit({ deviceId: 'ac', set, principal: 'anna' });
  }

  async verdict(task: Actuation): Promise<string> {
    const found = await this.engine.get(task.taskId, 'anna');
    const { outcome, phase } = found ?? task;
    if (!outcome) return phase;
    return outcome.type === 'verdict' ? `${outcome.verdict} at ${outcome.at.mono}` : outcome.type;
  }

  #build(): Engine {
    return new Engine({
      devices: {
        list: () => [this.ac],
        subscribe: (listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      store: this.store,
      habits: this.kept.habits,
      aftermaths: this.kept.aftermaths,
      history: this.kept.history,
      clock: this.clock,
      log: silent,
      ttlMs: 300_000,
      approvalTtlMs: 900_000,
    });
  }
}
