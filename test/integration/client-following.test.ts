import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Connection } from '../../gateway/client/connection.ts';
import { Following } from '../../gateway/client/following.ts';
import { StreamWatch } from '../../gateway/client/stream-watch.ts';
import { type TaskState, taskStateOf } from '../../gateway/client/task-state.ts';

const TASK = 'task-1';
const SILENT_MS = 150;
const WORKING = taskStateOf({ taskId: TASK, status: 'working', pollIntervalMs: 10 });
const DONE = taskStateOf({ taskId: TASK, status: 'completed', result: {} });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const event = (method: string, params: object) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })}\n\n`;
const ACCEPTED = event('subscriptions/acknowledged', { notifications: { taskIds: [TASK] } });
const COMPLETED = event('tasks', { taskId: TASK, status: 'completed', result: {} });

/** Begins a stream, and leaves it open. */
function stream(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
}

const error = (status: number, code: number) => (res: ServerResponse) =>
  res
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: 'tasks', error: { code, message: 'no' } }));

/**
 * Follows a task of a server.
 * @param answers how it answers requests for a stream: in this order, and the last one from then on
 * @param look what it answers where it is asked after the task
 */
async function follow(answers: readonly ((res: ServerResponse) => void)[], look: () => TaskState = () => WORKING) {
  let streams = 0;
  let looks = 0;
  const onRequest: RequestListener = (req, res) => {
    req.resume();
    answers[Math.min(streams, answers.length - 1)]?.(res);
    streams += 1;
  };
  const server: Server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  const connection: Connection = {
    endpoint: { url: `http://127.0.0.1:${address.port}/mcp` },
    modern: true,
    honoursKeys: true,
    caller: 'one without a token',
    tools: async () => [],
    call: async () => undefined,
    look: async () => {
      looks += 1;
      return look();
    },
    answer: async () => {},
    cancel: async () => {},
    retire: async () => {},
    close: async () => {},
  };
  const told = new Promise<TaskState>((resolve) => {
    const following = new Following({
      connect: async () => connection,
      failed: () => {},
      info: { name: 'test', version: '0' },
      silentMs: SILENT_MS,
      follower: {
        onTask: (task) => {
          if (task.status === 'completed') resolve(task);
        },
        onForgotten: () => {},
      },
    });
    undo.push(() => {
      following.stop();
      server.closeAllConnections();
      server.close();
    });
    following.add(TASK);
  });
  return { told, streams: () => streams, looks: () => looks };
}

describe('a stream on which nothing comes any more', () => {
  it('is given up where its server has said now and then that it is there', async () => {
    const { told, streams } = await follow([
      (res) => stream(res, `${ACCEPTED}: keepalive\n\n`),
      (res) => stream(res, ACCEPTED + COMPLETED),
    ]);
    expect(await told).toMatchObject(DONE);
    expect(streams()).toBe(2);
  });

  it('is given up where it never began', async () => {
    const { told, streams } = await follow([() => {}, (res) => stream(res, ACCEPTED + COMPLETED)]);
    expect(await told).toMatchObject(DONE);
    expect(streams()).toBe(2);
  });

  it('is kept elsewhere, and its tasks are asked after now and then', async () => {
    let asked = 0;
    const look = () => {
      asked += 1;
      return asked < 3 ? WORKING : DONE;
    };
    const { told, streams } = await follow([(res) => stream(res, ACCEPTED)], look);
    expect(await told).toMatchObject(DONE);
    expect(streams()).toBe(1);
  });
});

describe('a stream that is refused', () => {
  it.each([
    ['too many requests', error(429, -32_000)],
    ['a page of a proxy', (res: ServerResponse) => res.writeHead(502).end('<html>Bad gateway</html>')],
  ])('because of %s is asked for again, and nothing else is asked', async (_why, refuse) => {
    const { told, streams, looks } = await follow([refuse, refuse, (res) => stream(res, ACCEPTED + COMPLETED)]);
    expect(await told).toMatchObject(DONE);
    expect(streams()).toBe(3);
    expect(looks()).toBe(0);
  });

  it('for another reason is asked for again, and its tasks are asked after meanwhile', async () => {
    const refuse = error(200, -32_602);
    const { told, looks } = await follow([refuse, refuse, (res) => stream(res, ACCEPTED + COMPLETED)]);
    expect(await told).toMatchObject(DONE);
    expect(looks()).toBeGreaterThan(0);
  });

  it.each([
    ['method not found', error(200, -32_601)],
    ['nothing there', (res: ServerResponse) => res.writeHead(404).end('<html>Not found</html>')],
  ])('with %s is not asked for again', async (_why, refuse) => {
    let asked = 0;
    const look = () => {
      asked += 1;
      return asked < 5 ? WORKING : DONE;
    };
    const { told, streams } = await follow([refuse], look);
    expect(await told).toMatchObject(DONE);
    expect(streams()).toBe(1);
  });
});

describe('the beginning of a stream', () => {
  it('ends, also where news never cease', () => {
    vi.useFakeTimers();
    undo.push(() => vi.useRealTimers());
    let quiet = 0;
    const watch = new StreamWatch({ silentMs: 45_000, onQuiet: () => (quiet += 1), onSilent: () => {} });
    watch.start();
    for (let at = 0; at < 40; at += 1) {
      watch.heard();
      vi.advanceTimersByTime(500);
    }
    watch.stop();
    expect(quiet).toBe(1);
  });
});
