import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../gateway/client/connection.ts';
import { NoServer } from '../../gateway/client/failure.ts';
import { Server } from '../../gateway/client/server.ts';
import { type TaskState, taskStateOf } from '../../gateway/client/task-state.ts';
import { endingOf, endingOfTask, isForLater } from '../../gateway/client/wish.ts';

/** Whatever a server may put in the places that this client reads. */
const strange = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      content: fc.oneof(fc.jsonValue(), fc.array(fc.record({ type: fc.jsonValue(), text: fc.jsonValue() }))),
      isError: fc.jsonValue(),
      structuredContent: fc.oneof(
        fc.jsonValue(),
        fc.record({ verdict: fc.jsonValue(), reason: fc.jsonValue(), error: fc.jsonValue() }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: [] },
  ),
);

const COMPLETED = { taskId: 'task-1', status: 'completed' };

describe("another server's result", () => {
  it('makes an ending, whatever it is', () => {
    fc.assert(
      fc.property(strange, fc.boolean(), (result, isRepeated) => {
        const { outcome } = endingOf(result);
        expect(['result', 'verdict']).toContain(outcome.type);
        isForLater(result, isRepeated);
        expect(endingOfTask(taskStateOf({ ...COMPLETED, result }))?.outcome).toEqual(outcome);
      }),
    );
  });

  it.each([{ error: null }, { error: { code: 5 } }, { reason: 5 }, { verdict: 'guilty' }])(
    'says what it says: %j',
    (structuredContent) => {
      const result = { content: [{ type: 'text', text: 'Done.' }], structuredContent };
      expect(endingOf(result)).toEqual({ outcome: { type: 'result', isError: false }, text: 'Done.', result });
    },
  );

  it('has not gone well where it says so in any way', () => {
    expect(endingOf({ isError: null }).outcome).toEqual({ type: 'result', isError: false });
    expect(endingOf({ isError: 'yes' }).outcome).toEqual({ type: 'result', isError: true });
  });

  it('may be missing from a task that has completed', () => {
    const task: TaskState = taskStateOf({ ...COMPLETED, statusMessage: 'Done.' });
    expect(endingOfTask(task)).toEqual({ outcome: { type: 'result', isError: false }, text: 'Done.' });
  });
});

describe("another server's task", () => {
  it('is understood by its id and its status, whatever else it says', () => {
    const others = ['statusMessage', 'createdAt', 'pollIntervalMs', 'pollInterval', 'inputRequests', 'error', '_meta'];
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(others.map((key) => [key, fc.jsonValue()])), { requiredKeys: [] }),
        (said) => {
          expect(taskStateOf({ ...COMPLETED, ...said })).toMatchObject(COMPLETED);
          expect(endingOfTask(taskStateOf({ ...COMPLETED, ...said, status: 'failed' }))?.outcome.type).toBe('failed');
        },
      ),
    );
  });
});

describe('a connection that fails', () => {
  it('while the next one cannot be made either is told to whoever asked for that, and to nobody else', async () => {
    const server = new Server({
      locate: async () => {
        throw new NoServer('no server runs');
      },
      info: { name: 'test', version: '0' },
      ask: async () => ({ action: 'cancel' }),
      onError: () => {},
      follower: { onTask: () => {}, onForgotten: () => {} },
    });
    const next = server.connect();
    // A rejection that nobody handles fails the whole run.
    server.failed(OPEN);
    await expect(next).rejects.toThrow(NoServer);
  });
});

const OPEN: Connection = {
  endpoint: { url: 'http://127.0.0.1:9/mcp' },
  modern: true,
  honoursKeys: true,
  caller: '"local"',
  tools: async () => [],
  call: async () => undefined,
  look: async () => taskStateOf(COMPLETED),
  answer: async () => {},
  cancel: async () => {},
  retire: async () => {},
  close: async () => {},
};
