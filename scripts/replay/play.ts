import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SerializedTaskReference, TaskController, TaskView } from '@modelcontextprotocol/ext-tasks/client';
import type { SimulatedDeviceControl } from '../support/simulator-control.ts';
import { readToolResult } from './command-result.ts';
import type { Row, Scenario, Seen } from './scenario.ts';
import type { Stage } from './stage.ts';

/** A delay of four seconds is looked at once a second. */
const LOOKS_PER_DELAY = 4;

/** A cancelled command is watched for this many delays: beyond the moment at which its device acts. */
const WATCH_DELAYS = 1.5;

/** A command that has not settled by then never will: its deadline is two and a half delays, and a start takes seconds. */
const PATIENCE = { delays: 10, ms: 60_000 } as const;

/** How often it is asked whether a command has reached its device, in ms. */
const ARRIVAL_MS = 5;

/**
 * Makes one command and follows it to its end, looking once in every quarter of the delay.
 * @param onRow hears every row as it happens
 */
export async function play(scenario: Scenario, stage: Stage, onRow: (row: Row) => void): Promise<Seen> {
  const device = stage.device(scenario.device);
  const commandsBefore = await device.commandCount();
  const beganAt = Date.now();
  if (scenario.fault) await device.arm(scenario.fault.name, scenario.fault.parameters);
  try {
    const reference = await call(scenario, stage);
    const rows: Row[] = [];
    const view = await follow({ scenario, stage, device, reference, commandsBefore }, (row) => {
      rows.push(row);
      onRow(row);
    });
    const truth = await device.truthSince(commandsBefore);
    const heard = stage.heard(scenario.stateTopic, beganAt);
    return { ...endOf(view), truth, sensors: await device.sensors(), heard, rows };
  } finally {
    await device.clear();
  }
}

/** Calls the tool and keeps nothing but the handle, as a client does that may not be there when the verdict comes. */
async function call({ call: { tool, arguments: args } }: Scenario, stage: Stage): Promise<SerializedTaskReference> {
  const execution = await stage.client.session.callTool(tool, args);
  if (execution.kind !== 'task') {
    const { outcome } = await execution.settle();
    throw new Error(`${tool} was to become a task, but was answered at once: ${JSON.stringify(outcome)}`);
  }
  const reference = execution.serializeReference();
  await execution.handoff(() => undefined);
  await execution.result().catch(() => undefined);
  return reference;
}

interface Followed {
  readonly scenario: Scenario;
  readonly stage: Stage;
  readonly device: SimulatedDeviceControl;
  readonly reference: SerializedTaskReference;
  /** What the device had received before this command. */
  readonly commandsBefore: number;
}

async function follow(followed: Followed, onRow: (row: Row) => void): Promise<TaskView> {
  const { scenario, stage, device, reference } = followed;
  const begun = performance.now();
  const delayMs = stage.delayOf(scenario.device);
  const tickMs = delayMs / LOOKS_PER_DELAY;
  const watchMs = scenario.meanwhile === 'cancel' ? WATCH_DELAYS * delayMs : 0;
  const now = () => Math.round(performance.now() - begun);
  const row = async (status: string, message: string): Promise<Row> => {
    const sensors = await device.sensors();
    return { at_ms: now(), status, message, sensors: sensors && pick(sensors, scenario.sensors) };
  };
  let task = stage.client.session.task(reference.taskId);
  let pending = scenario.meanwhile;
  const patienceMs = PATIENCE.delays * delayMs + PATIENCE.ms;
  while (now() < patienceMs) {
    const view = await task.snapshot();
    onRow(await row(view.status, view.statusMessage ?? ''));
    if (isOver(view) && now() >= watchMs) return view;
    if (pending === 'cancel') {
      pending = undefined;
      await arrival(followed);
      await task.cancel();
    }
    if (pending === 'kill' && now() >= tickMs) {
      pending = undefined;
      await stage.killGateway();
      onRow(await row('gateway', 'killed with SIGKILL'));
      task = await resumeAfterRestart(stage, reference);
      onRow(await row('gateway', 'started again on the same data; asked about the same handle'));
    }
    await sleep((Math.floor(now() / tickMs) + 1) * tickMs - now());
  }
  throw new Error(`${scenario.id}: no end after ${patienceMs} ms`);
}

/** The command has reached its device: a cancellation takes nothing back any more. */
async function arrival({ device, commandsBefore }: Followed): Promise<void> {
  while ((await device.commandCount()) === commandsBefore) await sleep(ARRIVAL_MS);
}

/** A new process of the gateway, a new client, and nothing in common with the old ones but the stored reference. */
async function resumeAfterRestart(stage: Stage, reference: SerializedTaskReference): Promise<TaskController> {
  await stage.restartGateway();
  const { session } = stage.client;
  const resumed = await session.resumeTask(reference);
  await resumed.detach();
  await resumed.result().catch(() => undefined);
  return session.task(reference.taskId);
}

function isOver({ status }: TaskView): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function endOf(view: TaskView): Omit<Seen, 'truth' | 'sensors' | 'heard' | 'rows'> {
  const ended = view.status === 'completed' ? readToolResult(view.raw.result) : { result: null, isError: false };
  return {
    ...ended,
    taskId: view.taskId,
    createdAt: view.createdAt ?? '',
    settledAt: view.lastUpdatedAt ?? '',
    status: view.status,
  };
}

function pick<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}
