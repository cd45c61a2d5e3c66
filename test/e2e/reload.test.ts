import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ListeningGateway, startGatewayProgram } from '../../scripts/support/programs.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, QUICK_HOME, truth } from '../support/daemon.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

// One gateway for all: a reload is what it must be able to do again and again.
beforeAll(async () => {
  daemons = new Daemons();
  simulator = await daemons.simulator(0);
  writeFileSync(daemons.path('home.yaml'), QUICK + FAN);
  gateway = await startGatewayProgram({
    config: daemons.path('home.yaml'),
    dataFolder: daemons.path('data'),
    port: 0,
    args: ['--log-level', 'info'],
    env: { READBACK_SIMULATOR: simulator.url },
  });
});

afterAll(async () => {
  await gateway.program.end();
  await daemons.close();
});

afterEach(async () => {
  await reload(QUICK + FAN);
});

interface Line extends Readonly<Record<string, unknown>> {
  readonly msg: string;
}

function logged(): Line[] {
  const lines = gateway.program.stderr().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

const isLast = ({ msg }: Line) => /^the configuration (was read again|cannot be taken over)/.test(msg);

/** Writes the configuration anew and has it read again. @returns what the gateway said to it */
async function reload(text: string): Promise<Line[]> {
  writeFileSync(daemons.path('home.yaml'), text);
  const before = logged().length;
  process.kill(gateway.program.pid, 'SIGHUP');
  await expect.poll(() => logged().slice(before).some(isLast), { timeout: 20_000 }).toBe(true);
  return logged()
    .slice(before)
    .filter(({ area }) => area === 'gateway');
}

const fanCommands = () => simulator.home.truth('fan').counts['fan']?.commands ?? 0;

const set = (tool: string, args: Record<string, unknown>) =>
  rawCall(gateway.url, tool, args, { capabilities: TASK_CLIENT });

it('takes over the limit of one device while a command of another goes on', async () => {
  simulator.home.setDelay('fan', 1_500);
  const before = fanCommands();
  const received = truth(simulator, 'command');
  const { taskId } = (await set('set_fan', { power: 'on' })).body.result;
  await received;
  expect(await reload(QUICK.replace('max: 30', 'max: 25') + FAN)).toMatchObject([
    { device: 'ac', msg: 'the configuration describes a device anew' },
    { changes: 1 },
  ]);

  const refused = (await set('set_climate', { target_temperature: 26 })).body.result;
  expect(refused.structuredContent).toMatchObject({ verdict: 'rejected', reason: 'out_of_range' });
  expect(refused.content[0].text).toContain('25');

  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
  expect(fanCommands()).toBe(before + 1);
});

it('goes on with the open command of a device that changed, and sends nothing twice', async () => {
  simulator.home.setDelay('fan', 1_000);
  const before = fanCommands();
  const received = truth(simulator, 'command');
  const { taskId } = (await set('set_fan', { power: 'off' })).body.result;
  await received;
  expect(await reload(QUICK + FAN.replace('name: Fan', 'name: Big fan'))).toMatchObject([{ device: 'fan' }, {}]);
  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
  expect(fanCommands()).toBe(before + 1);
});

it('lets a command wait whose device is gone, until it is back', async () => {
  const { taskId } = (await set('set_climate', { target_temperature: 29 })).body.result;
  expect(await reload(`devices:${FAN}`)).toMatchObject([
    { device: 'ac', msg: 'the configuration has a device no more' },
    { changes: 1 },
  ]);
  const { body } = await rawRpc(gateway.url, 'tools/list');
  expect(body.result.tools.map(({ name }: { name: string }) => name)).not.toContain('set_climate');
  await daemons.run('approve', taskId, '--data', daemons.path('data')).exited;
  expect(await reload(QUICK + FAN)).toMatchObject([{ device: 'ac', msg: 'the configuration has a new device' }, {}]);
  const wait = await rawCall(gateway.url, 'get_task', { task_id: taskId, wait_s: 30 });
  expect(wait.body.result.structuredContent).toMatchObject({ result: { verdict: 'verified' } });
});

it('changes nothing where the file has a mistake, and says where', async () => {
  const [line] = await reload(QUICK.replace('max: 30', 'max: warm').replace('Quick AC', 'Renamed') + FAN);
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
  expect(await reload(QUICK + FAN + more)).toMatchObject([
    { key: 'tokens', msg: 'a setting was taken over' },
    { key: 'tasks.ttl' },
    { key: 'approvals.model_may_answer' },
    { key: 'log.areas' },
    { key: 'server.port', msg: 'a setting has changed that counts from the next start' },
    { changes: 5 },
  ]);
  expect((await rawRpc(gateway.url, 'tools/list')).status).toBe(401);
  const { body } = await rawRpc(gateway.url, 'tools/list', {}, { token: 'a-token-for-anna' });
  expect(body.result.tools.map(({ name }: { name: string }) => name)).toContain('answer_task');
  expect(await reload(QUICK + FAN + more.replace('server: { port: 1 }', ''))).toMatchObject([{ changes: 0 }]);
  expect(gateway.program.stderr()).not.toContain('a-token-for-anna');
});
