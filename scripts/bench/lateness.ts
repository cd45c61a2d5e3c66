import { join } from 'node:path';
import * as z from 'zod';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { startGatewayProgram, startSimulatorProgram } from '../support/programs.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import { connectTasksClient } from '../support/tasks-client.ts';
import { MAX_TOOL_LIST_BYTES, toolListBytes } from '../support/tool-list.ts';
import { type Figure, median } from './figure.ts';
import { awaitSettled, createTask, rpc, rpcRequest } from './rpc.ts';
import type { Effort } from './workspace.ts';

const DELAY_MS = 4_000;

/** The two devices of the demo home, and a command that changes something in every round. */
const DEVICES = [
  { id: 'ac', tool: 'set_climate', args: (round: number) => ({ target_temperature: 20 + (round % 2) }) },
  { id: 'fan', tool: 'set_fan', args: (round: number) => ({ swing_mode: round % 2 ? 'near' : 'far' }) },
] as const;

interface Sample {
  readonly lateMs: number;
  readonly reads: number;
}

const taskSchema = z.object({
  lastUpdatedAt: z.string(),
  result: z.object({ structuredContent: z.object({ verdict: z.literal('verified'), reads: z.int() }) }),
});

/**
 * How late the verdict is after the reading has really changed, in the demo home as it is shipped, with devices that
 * take four seconds. A device's first command is told apart: later the gateway knows when to look.
 */
export async function measureLateness(folder: string, { quick }: Effort): Promise<Figure[]> {
  const simulator = await startSimulatorProgram(DELAY_MS);
  const gateway = await startGatewayProgram({
    config: shippedPath('demo.yaml'),
    dataFolder: join(folder, 'lateness'),
    port: 0,
    env: { READBACK_SIMULATOR: simulator.url },
  });
  const rounds: Sample[][] = [];
  for (let round = 0; round < (quick ? 2 : 6); round += 1) {
    const samples = DEVICES.map(({ id, tool, args }) =>
      sample(gateway.url, new SimulatedDeviceControl(simulator.url, id), tool, args(round)),
    );
    rounds.push(await Promise.all(samples));
  }
  const client = await connectTasksClient(gateway.url);
  const bytes = await toolListBytes(client);
  await client.close();
  await Promise.all([gateway, simulator].map(({ program }) => program.end('SIGTERM')));

  const [first = [], ...later] = rounds;
  return [
    ...figures('first', "a device's first command", first),
    ...figures('later', 'its later commands', later.flat()),
    {
      id: 'tool_list',
      title: 'list of tools, for an air conditioner and a fan',
      value: bytes,
      unit: 'bytes',
      target: { at: 'most', value: MAX_TOOL_LIST_BYTES },
    },
  ];
}

function figures(id: string, whose: string, samples: readonly Sample[]): Figure[] {
  const late = median(samples.map((each) => each.lateMs));
  const reads = median(samples.map((each) => each.reads));
  return [
    {
      id: `late_${id}`,
      title: `verdict after the reading changed, ${whose}`,
      value: late,
      unit: 'ms',
      target: { at: 'most', value: 600 },
    },
    {
      id: `reads_${id}`,
      title: `reads for it, ${whose}`,
      value: reads,
      unit: 'reads',
      target: { at: 'most', value: 8 },
    },
  ];
}

async function sample(
  url: string,
  device: SimulatedDeviceControl,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Sample> {
  const before = await device.commandCount();
  const taskId = await createTask(url, tool, args);
  await awaitSettled(url, taskId);
  const { lastUpdatedAt, result } = taskSchema.parse(await rpc(url, rpcRequest('tasks/get', { taskId })));
  const [acted] = (await device.truthSince(before)).acted;
  if (!acted) throw new Error(`${device.id} did not act`);
  return { lateMs: Date.parse(lastUpdatedAt) - acted.epoch_ms, reads: result.structuredContent.reads };
}
