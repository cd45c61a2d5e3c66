import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { suffix } from '../../simulator/core/copies.ts';
import type { Random } from '../../simulator/core/random.ts';
import { rpc, rpcRequest } from '../support/rpc.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import type { SoakedKind } from './kinds.ts';

/** A command, as its client saw it. Times in ms since 1970, on the machine's one clock. */
export interface Told {
  readonly kind: SoakedKind;
  /** In the simulator. */
  readonly simulated: string;
  readonly wish: Readonly<Record<string, string | number>>;
  /** What befell it: a fault of its own, or that its device was gone for a while; null: nothing that was done on purpose. */
  readonly fault: string | null;
  readonly calledAt: number;
  readonly endedAt: number;
  readonly taskId: string;
  /** The task's status, and what its result says. */
  readonly status: string;
  readonly result: z.output<typeof resultSchema> | null;
}

const resultSchema = z.looseObject({
  verdict: z.string().nullable(),
  reason: z.string().nullable(),
  fields: z.record(z.string(), z.looseObject({ evidence: z.number().nullable() })),
});
const taskSchema = z.looseObject({
  taskId: z.string(),
  status: z.string(),
  result: z.looseObject({ structuredContent: resultSchema.optional() }).optional(),
});

const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

const CHANCE = { fault: 0.15, outage: 0.03 } as const;

/** A device that is gone comes back after this long, in ms. */
const OUTAGE_MS = 4_000;

const MOST_PAUSE_MS = 2_000;
const POLL_MS = 250;

/** One person with one device: commands, one after another, until the time is over. */
export class SoakClient {
  readonly told: Told[] = [];
  readonly #kind: SoakedKind;
  readonly #number: number;
  readonly #random: Random;

  constructor(kind: SoakedKind, number: number, random: Random) {
    this.#kind = kind;
    this.#number = number;
    this.#random = random;
  }

  /** @param until on `performance.now()`; a command that is under way by then is followed to its end */
  async use(gateway: string, simulator: string, until: number): Promise<void> {
    const control = new SimulatedDeviceControl(simulator, `${this.#kind.simulated}${suffix(this.#number)}`);
    await sleep(this.#random() * MOST_PAUSE_MS);
    while (performance.now() < until) {
      const fault = await this.#befall(control);
      this.told.push(await this.#command(gateway, control.id, fault));
      await control.clear();
      await sleep(this.#random() * MOST_PAUSE_MS);
    }
  }

  async #befall(control: SimulatedDeviceControl): Promise<string | null> {
    if (this.#random() < CHANCE.outage) {
      await control.arm('offline');
      setTimeout(() => void control.clear().catch(() => undefined), OUTAGE_MS);
      return 'offline';
    }
    if (this.#random() >= CHANCE.fault) return null;
    const { faults } = this.#kind;
    const fault = faults[Math.floor(this.#random() * faults.length)] ?? 'ignore';
    await control.arm(fault, { times: 1 });
    return fault;
  }

  async #command(gateway: string, simulated: string, fault: string | null): Promise<Told> {
    const { id, tool } = this.#kind;
    const wish = this.#kind.wish(this.#random);
    const calledAt = Date.now();
    const call = { name: tool, arguments: { device: `${id}${suffix(this.#number)}`, ...wish } };
    let task = taskSchema.parse(await rpc(gateway, rpcRequest('tools/call', call)));
    while (!ENDS.has(task.status)) {
      await sleep(POLL_MS);
      task = taskSchema.parse(await rpc(gateway, rpcRequest('tasks/get', { taskId: task.taskId })));
    }
    const { taskId, status } = task;
    const result = task.result?.structuredContent ?? null;
    return { kind: this.#kind, simulated, wish, fault, calledAt, endedAt: Date.now(), taskId, status, result };
  }
}
