import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { TaskClient } from '../../gateway/client/task-client.ts';
import type { Wish } from '../../gateway/client/wish.ts';
import { openClientFolder } from '../../gateway/commands/client/folder.ts';
import { type Program, startListeningProgram, startProgram } from '../support/programs.ts';
import type { Figure } from './figure.ts';
import type { Effort } from './workspace.ts';

const TASKS = { full: 10_000, quick: 200 };

/** Over how long the tasks end, in ms, from the moment when the client has heard of each. */
const OVER_MS = { full: 30_000, quick: 3_000 };

const costSchema = z.object({ requests: z.int().default(0), cpuMs: z.number() });
type Cost = z.output<typeof costSchema>;

/** What it cost to follow the tasks in one way. */
interface Run {
  readonly gateway: Cost;
  readonly client: Cost;
}

/**
 * One client follows ten thousand tasks to their end: as it always does, over one stream, and by asking after each of them
 * every second. And how long a client that comes after one that was killed takes, until it has heard of all of them again.
 */
export async function measureFollowing(folder: string, { quick }: Effort): Promise<Figure[]> {
  const size = quick ? 'quick' : 'full';
  const count = TASKS[size];
  const stream = await follow('stream', count, OVER_MS[size]);
  const poll = await follow('poll', count, OVER_MS[size]);
  const resumed = await resume(folder, count);
  const tasks = `${count.toLocaleString('en')} tasks`;
  const ratio = (id: string, what: string, of: (run: Run) => number): Figure => ({
    id,
    title: `${tasks} followed: ${what}, polling against the stream`,
    value: of(poll) / of(stream),
    unit: 'times',
  });
  return [
    {
      id: 'follow_requests',
      title: `${tasks} followed to their end: requests of the client`,
      value: stream.gateway.requests,
      unit: 'messages',
      target: { at: 'most', value: count },
    },
    ratio('follow_requests_ratio', 'requests', ({ gateway }) => gateway.requests),
    ratio('follow_gateway_cpu_ratio', 'CPU of the gateway', ({ gateway }) => gateway.cpuMs),
    ratio('follow_client_cpu_ratio', 'CPU of the client', ({ client }) => client.cpuMs),
    {
      id: 'resume',
      title: `${tasks} on record: from the start of a client until it has heard of each`,
      value: resumed,
      unit: 'ms',
      target: { at: 'most', value: 5_000 },
    },
  ];
}

async function follow(way: 'stream' | 'poll', count: number, overMs: number): Promise<Run> {
  const { program, url } = await startListeningProgram('scripts/bench/follow-gateway.js', [`${count}`, `${overMs}`]);
  const before = await told(program);
  const client = startProgram('scripts/bench/follow-client.js', [url, String(count), way]);
  const cost = new Promise<Cost>((resolve) =>
    client.onMessage((message) => {
      if (z.object({ seen: z.literal(true) }).safeParse(message).success) program.tell('begin');
      else resolve(costSchema.parse(message));
    }),
  );
  const clientCost = await cost;
  const after = await told(program);
  await program.end('SIGTERM');
  return {
    gateway: { requests: after.requests - before.requests, cpuMs: after.cpuMs - before.cpuMs },
    client: clientCost,
  };
}

/** What a gateway says of its cost so far. */
function told(program: Program): Promise<Cost> {
  const answer = new Promise<Cost>((resolve) =>
    program.onMessage((message) => {
      const { data } = costSchema.safeParse(message);
      if (data) resolve(data);
    }),
  );
  program.tell('tell');
  return answer;
}

/** @returns how long it took, in ms */
async function resume(folder: string, count: number): Promise<number> {
  const { program, url } = await startListeningProgram('scripts/bench/follow-gateway.js', [String(count), '0']);
  const path = join(folder, 'client');
  const written = await openClientFolder(path, console.error);
  await Promise.all(
    Array.from({ length: count }, (_, at) => wishOf(url, at)).map((wish) => written.wishes.put(wish.id, wish)),
  );
  await written.close();

  const startedAt = performance.now();
  const kept = await openClientFolder(path, console.error);
  const client = new TaskClient({
    wishes: kept.wishes,
    locate: async (server) => ({ url: server }),
    info: { name: 'readback-bench', version: '1' },
  });
  const unheard = new Set(kept.found.map(({ id }) => id));
  const heard = new Promise<void>((resolve) => {
    client.subscribe((event) => {
      if (event.type === 'task' && unheard.delete(event.wish.id) && unheard.size === 0) resolve();
    });
  });
  client.resume(await kept.adopt(kept.found));
  await heard;
  const tookMs = performance.now() - startedAt;
  await client.close();
  await kept.close();
  await program.end('SIGTERM');
  return tookMs;
}

function wishOf(server: string, at: number): Wish {
  return {
    id: randomUUID(),
    server,
    target: { type: 'device', device: `device-${at}`, set: { target_temperature: 20 } },
    madeAt: Date.now(),
    withinMs: 600_000,
    stage: 'following',
    keyed: true,
    task: { taskId: `task-${at}`, modern: true },
    answered: [],
    outcome: null,
    text: '',
    endedAt: null,
  };
}
