import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { rpcRequest } from '../support/rpc.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import type { PlannedCommand } from './plan.ts';
import { hasEnded, type Told } from './told.ts';

/** The error of `tasks/get` for an id that the gateway does not know. */
const INVALID_PARAMS = -32602;

/** How often open tasks are asked for, in ms. */
const POLL_MS = 50;

/** A gateway that lives answers well within this time, in ms. */
const PATIENCE_MS = 5_000;

/** How many settled tasks are asked for once more in each gateway's life. */
const ASKED_AGAIN = 4;

const answerSchema = z.union([
  z.object({ result: z.looseObject({ resultType: z.string().optional() }) }),
  z.object({ error: z.looseObject({ code: z.int(), message: z.string() }) }),
]);
type RpcAnswer = z.output<typeof answerSchema>;

/** The clients of the gateway: they issue commands, keep every handle, and ask until they hear how it ended. */
export class Clients {
  readonly told: Told;
  readonly #simulatorUrl: string;
  #turn = 0;

  constructor(told: Told, simulatorUrl: string) {
    this.told = told;
    this.#simulatorUrl = simulatorUrl;
  }

  /** Issues commands at their times and follows every open task until `dead` aborts. */
  async use(url: string, commands: readonly PlannedCommand[], dead: AbortSignal): Promise<void> {
    await Promise.all([
      ...commands.map((command) => this.#issue(url, command, dead)),
      this.#follow(url, dead),
      this.askAgain(url, this.#someSettled(), dead),
    ]);
  }

  /** Asks for these tasks, one after another. */
  async askAgain(url: string, taskIds: readonly string[], dead: AbortSignal): Promise<void> {
    for (const taskId of taskIds) {
      if (dead.aborted) return;
      await this.#get(url, taskId);
    }
  }

  async #issue(url: string, { device, atMs, wish, fault, cancelAfterMs }: PlannedCommand, dead: AbortSignal) {
    if (!(await pause(atMs, dead))) return;
    if (fault) await new SimulatedDeviceControl(this.#simulatorUrl, device.simulated).arm(fault, { times: 1 });
    if (dead.aborted) return;
    const call = { name: device.tool, arguments: { device: device.id, ...wish } };
    const answer = await ask(url, 'tools/call', call);
    if (!answer) this.told.answers.none += 1;
    else if ('error' in answer) this.told.answers.refused += 1;
    else if (answer.result.resultType !== 'task') this.told.answers.settled += 1;
    else {
      this.told.answers.task += 1;
      const { taskId } = this.told.hear(answer.result);
      if (cancelAfterMs === null || !(await pause(cancelAfterMs, dead))) return;
      await ask(url, 'tasks/cancel', { taskId });
    }
  }

  async #follow(url: string, dead: AbortSignal): Promise<void> {
    while (await pause(POLL_MS, dead)) await this.askAgain(url, this.told.open, dead);
  }

  async #get(url: string, taskId: string): Promise<void> {
    const answer = await ask(url, 'tasks/get', { taskId });
    if (!answer) return;
    if ('result' in answer) this.told.hear(answer.result);
    else if (answer.error.code === INVALID_PARAMS) this.told.hearUnknown(taskId);
  }

  /** Some of the settled tasks, each in its turn. Open ones are left to `#follow`, so that no two answers overtake each other. */
  #someSettled(): string[] {
    const ids = this.told.tasks.filter(hasEnded).map(({ taskId }) => taskId);
    const from = this.#turn % Math.max(1, ids.length);
    this.#turn += ASKED_AGAIN;
    return ids.slice(from, from + ASKED_AGAIN);
  }
}

/** One request. Null where no whole answer came: the gateway may have done everything or nothing. */
async function ask(url: string, method: string, params: Readonly<Record<string, unknown>>): Promise<RpcAnswer | null> {
  try {
    // Not called off when the gateway dies: what it had sent by then may still arrive.
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(url, { method: 'POST', ...rpcRequest(method, params), signal });
    return answerSchema.parse(JSON.parse(await response.text()));
  } catch (error) {
    if (error instanceof z.ZodError) throw error;
    return null;
  }
}

/** @returns whether the time passed before the gateway died */
async function pause(ms: number, dead: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal: dead }).catch(() => false);
}
