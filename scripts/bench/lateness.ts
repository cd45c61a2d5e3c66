import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { loadConfig } from '../../gateway/config/load.ts';
import type { HomeConfig } from '../../gateway/config/schema.ts';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { startSimulatorProgram } from '../support/programs.ts';
import { awaitSettled, createTask, rpc, rpcRequest } from '../support/rpc.ts';
import { SimulatedDeviceControl } from '../support/simulator-control.ts';
import { connectTasksClient } from '../support/tasks-client.ts';
import { MAX_TOOL_LIST_BYTES, toolListBytes } from '../support/tool-list.ts';
import { type Figure, median } from './figure.ts';
import { startOwnGateway } from './own-gateway.ts';
import type { Effort } from './workspace.ts';

const DELAY_MS = 4_000;

/** After so many commands the gateway knows a device's habits. */
const LEARNING_ROUNDS = 5;

/** Between the commands of a round, in ms: made in one moment, they would be read back in one moment. */
const APART_MS = 30;

/** The two devices of the demo home, and a command that changes something in every round. */
const DEVICES = [
  {
    id: 'ac',
    name: 'living_room_ac',
    tool: 'set_climate',
    args: (round: number) => ({ target_temperature: 20 + (round % 2) }),
  },
  {
    id: 'fan',
    name: 'bedroom_fan',
    tool: 'set_fan',
    args: (round: number) => ({ swing_mode: round % 2 ? 'near' : 'far' }),
  },
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
 * How late the verdict is after the reading has really changed, with devices of the demo home as it is shipped, which take
 * four seconds. A device's first command is told apart from those before which the gateway has learnt when to look.
 * Several such homes share one gateway, so that few rounds give many samples.
 */
export async function measureLateness(folder: string, { quick }: Effort): Promise<Figure[]> {
  const simulators = await Promise.all(Array.from({ length: quick ? 1 : 4 }, () => startSimulatorProgram(DELAY_MS)));
  const gateway = await startOwnGateway(await homeOf(simulators.map(({ url }) => url)), folder, 'lateness');
  const first: Sample[] = [];
  const learnt: Sample[] = [];
  for (let round = 0; round < (quick ? 2 : LEARNING_ROUNDS + 2); round += 1) {
    const samples = simulators.flatMap((simulator, index) =>
      DEVICES.map(async ({ id, name, tool, args }, place) => {
        await sleep((index * DEVICES.length + place) * APART_MS);
        const set = { device: nameAt(name, index), ...args(round) };
        return sample(gateway.mcpUrl, new SimulatedDeviceControl(simulator.url, id), tool, set);
      }),
    );
    const taken = await Promise.all(samples);
    if (round === 0) first.push(...taken);
    if (round >= (quick ? 1 : LEARNING_ROUNDS)) learnt.push(...taken);
  }
  await gateway.close();
  await Promise.all(simulators.map(({ program }) => program.end('SIGTERM')));
  return [
    ...figures('first', "a device's first command", first, { lateMs: 600, reads: 8 }),
    ...figures('learnt', quick ? 'its second' : 'after five', learnt, { lateMs: 150, reads: 6 }),
    await toolListFigure(folder),
  ];
}

/** The demo home, once for each simulator. */
async function homeOf(simulators: readonly string[]): Promise<HomeConfig> {
  const homes = await Promise.all(
    simulators.map((url) => loadConfig(shippedPath('demo.yaml'), { READBACK_SIMULATOR: url })),
  );
  const devices = homes.flatMap((home, index) =>
    Object.entries(home.devices).map(([id, device]) => [nameAt(id, index), device] as const),
  );
  const [home] = homes;
  if (!home) throw new Error('there is no simulator');
  return { ...home, devices: Object.fromEntries(devices) };
}

function nameAt(id: string, index: number): string {
  return `${id}_${index}`;
}

function figures(id: string, whose: string, samples: readonly Sample[], most: Sample): Figure[] {
  return [
    {
      id: `late_${id}`,
      title: `verdict after the reading changed, ${whose}`,
      value: median(samples.map((each) => each.lateMs)),
      unit: 'ms',
      target: { at: 'most', value: most.lateMs },
    },
    {
      id: `reads_${id}`,
      title: `reads for it, ${whose}`,
      value: median(samples.map((each) => each.reads)),
      unit: 'reads',
      target: { at: 'most', value: most.reads },
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

/** For the demo home as it is shipped: one air conditioner and one fan. */
async function toolListFigure(folder: string): Promise<Figure> {
  const gateway = await startOwnGateway(await loadConfig(shippedPath('demo.yaml'), {}), folder, 'tool-list');
  const client = await connectTasksClient(gateway.mcpUrl);
  const bytes = await toolListBytes(client);
  await client.close();
  await gateway.close();
  return {
    id: 'tool_list',
    title: 'list of tools, for an air conditioner and a fan',
    value: bytes,
    unit: 'bytes',
    target: { at: 'most', value: MAX_TOOL_LIST_BYTES },
  };
}
