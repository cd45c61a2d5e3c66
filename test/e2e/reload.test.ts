import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ListeningGateway, startGatewayProgram } from '../../scripts/support/programs.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, QUICK_HOME, truth } from '../support/daemon.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

const QUICK = readFileSync(QUICK_HOME, 'utf8');
const FAN = `
  fan:
    name: Fan
    kind: fan
    http: { base: !env_var READBACK_SIMULATOR }
    requests:
      status: { get: /sensors/fan }
      apply: { post: /control/fan, json: { power: "{{ want.power }}" } }
    fields:
      power: { write: apply, read: { request: status, path: power }, map: { "ON": on, "OFF": off } }
    verify: { poll: [50ms], echo: 0s, settle: 0s, deadline: 20s }
`;

let daemons: Daemons;
let simulator: Simulator;
let gateway: ListeningGateway;

beforeEach(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(0);
  write(QUICK + FAN);
  gateway = await startGatewayProgram({
    config: daemons.path('home.yaml'),
    dataFolder: daemons.path('data'),
    port: 0,
    args: ['--log-level', 'info'],
    env: { READBACK_SIMULATOR: simulator.url },
  });
});

afterEach(async () => {
  await gateway.program.end();
  await daemons.close();
});

function write(text: string): void {
  writeFileSync(daemons.path('home.yaml'), text);
}

/** The lines of the log so far whose message begins so. */
function logged(message: string): Record<string, unknown>[] {
  const lines = gateway.program.stderr().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith(message));
}

/** Has the configuration read again and waits for what the gateway says to it. */
async function reload(answer: string): Promise<Record<string, unknown>[]> {
  const before = logged(answer).length;
  process.kill(gateway.program.pid, 'SIGHUP');
  await expect.poll(() => logged(answer).length, { timeout: 20_000 }).toBeGreaterThan(before);
  return logged(answer).slice(before);
}

const set = (tool: string, args: Record<string, unknown>) =>
  rawCall(gateway.url, tool, args, { capabilities: TASK_CLIENT });

it('takes over the limit of one device while a command of another goes on', async () => {
  simulator.home.setDelay('fan', 3_000);
  const received = truth(simulator, 'command');
  const { taskId } = (await set('set_fan', { power: 'on' })).body.result;
  await received;
  write(QUICK.replace('max: 30', 'max: 25') + FAN);
  expect(await reload('the configuration describes')).toMatchObject([{ device: 'ac' }]);

  const refused = (await set('set_climate', { target_temperature: 26 })).body.result;
  expect(refused.structuredContent).toMatchObject({ verdict: 'rejected', reason: 'out_of_range' });
  expect(refused.content[0].text).toContain('25');

  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
  expect(simulator.home.truth('fan').counts['fan']?.commands).toBe(1);
});

it('goes on with the open command of a device that changed, and sends nothing twice', async () => {
  simulator.home.setDelay('fan', 2_000);
  const received = truth(simulator, 'command');
  const { taskId } = (await set('set_fan', { power: 'on' })).body.result;
  await received;
  write(QUICK + FAN.replace('name: Fan', 'name: Big fan'));
  expect(await reload('the configuration describes')).toMatchObject([{ device: 'fan' }]);
  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
  expect(simulator.home.truth('fan').counts['fan']?.commands).toBe(1);
});

it('lets a command wait whose device is gone, until it is back', async () => {
  const { taskId } = (await set('set_climate', { target_temperature: 29 })).body.result;
  write(`devices:${FAN}`);
  expect(await reload('the configuration has a device no more')).toMatchObject([{ device: 'ac' }]);
  const { body } = await rawRpc(gateway.url, 'tools/list');
  expect(body.result.tools.map(({ name }: { name: string }) => name)).not.toContain('set_climate');
  await daemons.run('approve', taskId, '--data', daemons.path('data')).exited;
  write(QUICK + FAN);
  expect(await reload('the configuration has a new device')).toMatchObject([{ device: 'ac' }]);
  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
});

it('changes nothing where the file has a mistake, and says where', async () => {
  write(QUICK.replace('max: 30', 'max: warm').replace('Quick AC', 'Renamed') + FAN);
  const [line] = await reload('the configuration cannot be taken over');
  expect(line?.['error']).toMatch(/home\.yaml:\d+:\d+ devices\.ac\.fields\.target_temperature\.max: expected a number/);
  const { body } = await rawCall(gateway.url, 'get_state', {});
  expect(JSON.stringify(body.result.structuredContent)).toContain('Quick AC');
});

it('takes over settings and tokens, and says what counts from the next start', async () => {
  expect((await rawRpc(gateway.url, 'tools/list')).status).toBe(200);
  const more = `
tokens: [{ name: anna, token: a-token-for-anna, scopes: [control, approve] }]
tasks: { ttl: 100s }
approvals: { model_may_answer: true }
log: { areas: { mcp: debug } }
server: { port: 1 }
`;
  write(QUICK + FAN + more);
  expect(await reload('a setting has changed that counts')).toMatchObject([{ key: 'server.port' }]);
  expect(logged('a setting was taken over').map(({ key }) => key)).toEqual([
    'tokens',
    'tasks.ttl',
    'approvals.model_may_answer',
    'log.areas',
  ]);
  expect((await rawRpc(gateway.url, 'tools/list')).status).toBe(401);
  const { body } = await rawRpc(gateway.url, 'tools/list', {}, { token: 'a-token-for-anna' });
  expect(body.result.tools.map(({ name }: { name: string }) => name)).toContain('answer_task');
  write(QUICK + FAN + more.replace('server: { port: 1 }', ''));
  await reload('the configuration was read again: nothing has changed');
  expect(gateway.program.stderr()).not.toContain('a-token-for-anna');
});
