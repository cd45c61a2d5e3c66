import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { resultFromTaskOutcome, type SerializedTaskReference } from '@modelcontextprotocol/ext-tasks/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTasksClient, type TasksClient } from '../../scripts/support/tasks-client.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startGateway({ specs: [withApproval(DEMO_AC), DEMO_FAN] });
});

afterEach(async () => {
  await gateway.close();
});

/** Every new command reaches its device, which does as it is told. */
function obey(values: Readonly<Record<string, string | number>>): void {
  gateway.commands.onSubmit = (id) => {
    setImmediate(() => {
      gateway.commands.send(id);
      gateway.commands.read(id, values);
    });
  };
}

describe("MCP's own client", () => {
  it.each([
    ['modern', 'auto'],
    ['legacy', 'legacy'],
  ] as const)('of the %s protocol gets the verdict in one call', async (era, mode) => {
    obey({ target_temperature: 26 });
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    expect(client.getProtocolEra()).toBe(era);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('set_climate');
    const progress: string[] = [];
    const answer = await client.callTool(
      { name: 'set_climate', arguments: { target_temperature: 26 } },
      { onprogress: ({ message }) => void progress.push(message ?? '') },
    );
    expect(answer.structuredContent).toMatchObject({ verdict: 'verified' });
    expect(progress.length).toBeGreaterThan(0);
    expect(client.getInstructions()).toContain('verdict');
    await client.close();
  });
});

describe('the client of the SDK before', () => {
  it('lists, commands, and is told of a handle that nobody knows', async () => {
    const client = new OlderClient({ name: 'older', version: '0' });
    // The transport declares `sessionId` in a way that exactOptionalPropertyTypes refuses.
    await client.connect(new OlderTransport(new URL(gateway.url)) as Parameters<OlderClient['connect']>[0]);
    expect((await client.listTools()).tools).toHaveLength(5);
    const call = async (name: string, args: Record<string, unknown>) =>
      CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));

    obey({ power: 'on' });
    const verdict = await call('set_fan', { power: 'on' });
    expect(verdict.structuredContent).toMatchObject({ verdict: 'verified' });

    const unknown = await call('get_task', { task_id: 'nobody-knows-me' });
    expect(unknown).toMatchObject({ isError: true, structuredContent: { ok: false } });
    await client.close();
  });
});

describe('the client of the Tasks extension', () => {
  let tasks: TasksClient;
  const questions: string[] = [];

  beforeEach(async () => {
    questions.length = 0;
    tasks = await connectTasksClient(gateway.url, {
      onQuestion: (message) => {
        questions.push(message);
        return { action: 'accept', content: { approve: true } };
      },
    });
  });

  afterEach(async () => {
    await tasks.close();
  });

  it('follows a task to its verdict', async () => {
    const execution = await tasks.session.callTool('set_climate', { target_temperature: 26 });
    expect(execution.kind).toBe('task');
    const taskId = String(execution.handle?.taskId);
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { target_temperature: 26 });
    const seen: string[] = [];
    const { outcome } = await execution.settle({
      onEvent: (event) => void seen.push(event.type === 'task' ? event.task.status : event.outcome.status),
    });
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { verdict: 'verified' } });
    expect(seen.at(-1)).toBe('completed');
  });

  it('takes the refusal of a plan for what it is: an answer, not a task', async () => {
    const execution = await tasks.session.callTool('set_climate', { target_temperature: 99 });
    expect(execution.kind).toBe('immediate');
    expect(resultFromTaskOutcome((await execution.settle()).outcome)).toMatchObject({ isError: true });
  });

  it('cancels', async () => {
    const execution = await tasks.session.callTool('set_climate', { power: 'on' });
    gateway.commands.send(String(execution.handle?.taskId));
    await execution.cancel();
    const { outcome } = await execution.settle();
    expect(outcome.status).toBe('cancelled');
  });

  it('resumes by a stored reference on another connection', async () => {
    const execution = await tasks.session.callTool('set_climate', { power: 'on' });
    if (execution.kind !== 'task') throw new Error('a task was expected');
    let stored = '';
    await execution.handoff((reference) => {
      stored = JSON.stringify(reference);
    });
    await execution.result().catch(() => undefined);
    await tasks.close();

    tasks = await connectTasksClient(gateway.url);
    const reference = JSON.parse(stored) as SerializedTaskReference;
    gateway.commands.send(String(reference.taskId));
    gateway.commands.read(String(reference.taskId), { power: 'on' });
    const resumed = await tasks.session.resumeTask(reference);
    expect((await resumed.settle()).outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { verdict: 'verified' } },
    });
  });

  it('puts the question of a waiting task to its person, and takes the answer back', async () => {
    const approved = new Promise<string>((resolve) => {
      gateway.commands.subscribe(({ taskId, approval, phase }) => {
        if (approval?.answer?.approved && phase === 'queued') resolve(taskId);
      });
    });
    const execution = await tasks.session.callTool('set_climate', { target_temperature: 30 });
    const settling = execution.settle();
    const taskId = await approved;
    gateway.commands.send(taskId);
    gateway.commands.read(taskId, { target_temperature: 30 });
    expect((await settling).outcome).toMatchObject({ result: { structuredContent: { verdict: 'verified' } } });
    expect(questions).toEqual(['Set Living-room AC: target_temperature to 30 °C?']);
  });
});
