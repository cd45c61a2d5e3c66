import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../gateway/config/load.ts';
import { Logs } from '../../gateway/logs.ts';
import { type Gateway, startGateway } from '../../gateway/main.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { QUICK_HOME } from '../support/daemon.ts';
import { MqttPeer } from '../support/mqtt-peer.ts';
import { bearer, rawCall, TASK_CLIENT } from '../support/raw-rpc.ts';

let folder: string;
let simulator: Simulator;
let gateway: Gateway | undefined;
let log: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'readback-watching-'));
  log = '';
  simulator = await startSimulator({ delayMs: 0 });
});

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  await simulator.close();
  rmSync(folder, { recursive: true });
});

/** A gateway on the quick home with more in its configuration, which says all that it has to say. */
async function start(more = ''): Promise<Gateway> {
  const file = join(folder, 'home.yaml');
  writeFileSync(file, `${readFileSync(QUICK_HOME, 'utf8')}\n${more}`);
  const home = await loadConfig(file, { READBACK_SIMULATOR: simulator.url });
  const logs = new Logs({
    write: (line) => {
      log += line;
    },
  });
  logs.hide(home.secrets);
  logs.setLevels({ level: 'debug', areas: {} });
  const logOf: Parameters<typeof startGateway>[0]['logOf'] = (area) => logs.of(area);
  gateway = await startGateway({ home, dataFolder: join(folder, 'data'), host: '127.0.0.1', port: 0, logOf });
  return gateway;
}

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, gateway?.mcpUrl), { headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** The value of a time series; undefined where it is not shown. */
async function metric(series: string): Promise<number | undefined> {
  const { text } = await ask('/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const UNREACHABLE = 'mqtt: { broker: 127.0.0.1, port: 1, username: me, password: hunter22-broker, discovery: false }\n';

describe('health', () => {
  it('is well, and ready', async () => {
    await start();
    expect(JSON.parse((await ask('/healthz')).text)).toMatchObject({ status: 'ok', name: 'readback', troubles: [] });
    const { status, text } = await ask('/readyz');
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: { status: 'ready', troubles: [] } });
  });

  it('is alive without its broker, but not ready, and says so to everybody', async () => {
    await start(`${UNREACHABLE}tokens: [{ name: anna, token: hunter22-for-anna }]\n`);
    const troubles = [{ part: 'broker', reason: 'no connection to the broker; the log says why' }];
    const alive = await ask('/healthz');
    expect({ status: alive.status, body: JSON.parse(alive.text) }).toMatchObject({
      status: 200,
      body: { status: 'degraded', troubles },
    });
    const ready = await ask('/readyz');
    expect({ status: ready.status, body: JSON.parse(ready.text) }).toEqual({
      status: 503,
      body: { status: 'not_ready', troubles },
    });
  });
});

describe('metrics', () => {
  it('count commands, verdicts and reads, and show what is open', async () => {
    const { mcpUrl } = await start();
    await rawCall(mcpUrl, 'set_climate', { target_temperature: 26 });
    await rawCall(mcpUrl, 'set_climate', { target_temperature: 99 });
    await rawCall(mcpUrl, 'set_climate', { target_temperature: 30 }, { capabilities: TASK_CLIENT });
    expect(await metric('readback_commands_total{kind="climate"}')).toBe(3);
    const ended = (labels: string) => metric(`readback_commands_ended_total{kind="climate",${labels}}`);
    expect(await ended('verdict="verified",reason=""')).toBe(1);
    expect(await ended('verdict="rejected",reason="out_of_range"')).toBe(1);
    expect(await metric('readback_open_tasks{phase="awaiting_approval"}')).toBe(1);
    expect(await metric('readback_open_tasks{phase="queued"}')).toBe(0);
    expect(await metric('readback_reads_total{kind="climate"}')).toBeGreaterThan(0);
    expect(await metric('readback_verdict_seconds_count{kind="climate"}')).toBe(1);
    expect(await metric('readback_store_commit_seconds_count')).toBeGreaterThan(3);
    expect(await metric('readback_store_bytes{part="journal"}')).toBeGreaterThan(1_000);
    expect(await metric('readback_store_writable')).toBe(1);
    expect(await metric('readback_device_reachable{device="ac",kind="climate"}')).toBe(1);
    expect(await metric('readback_listeners{type="stream"}')).toBe(0);
    expect(await metric('readback_broker_connected')).toBeUndefined();
  });

  it('go on counting what was open at a stop, once', async () => {
    const before = await start();
    await rawCall(before.mcpUrl, 'set_climate', { target_temperature: 30 }, { capabilities: TASK_CLIENT });
    await before.close();
    await start();
    // It is shown once the restart is on its record.
    await expect.poll(() => metric('readback_open_tasks{phase="awaiting_approval"}')).toBe(1);
    expect(await metric('readback_commands_total{kind="climate"}')).toBeUndefined();
  });

  it('are for Prometheus to read, each with a name, a unit and a word of help, and no task among them', async () => {
    const { mcpUrl } = await start(UNREACHABLE);
    const { body } = await rawCall(mcpUrl, 'set_climate', { target_temperature: 26 }, { capabilities: TASK_CLIENT });
    await rawCall(mcpUrl, 'get_task', { task_id: body.result.taskId, wait_s: 20 });
    const { type, text } = await ask('/metrics');
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      expect(name).toMatch(
        /^readback_[a-z_]*(_total|_seconds|_bytes|_tasks|listeners|_connected|_reachable|_writable)$/,
      );
      expect(text).toMatch(new RegExp(`^# HELP ${name} \\S.*\\.$`, 'm'));
    }
    expect(await metric('readback_broker_connected')).toBe(0);
    expect(await metric('readback_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain(body.result.taskId);
  });

  it('want a token that may read, where tokens are asked for', async () => {
    await start(`
tokens:
  - { name: prometheus, token: hunter22-prometheus, scopes: [read] }
  - { name: phone, token: hunter22-of-the-phone, scopes: [approve] }
`);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', bearer('hunter22-of-the-phone'))).status).toBe(403);
    expect((await ask('/metrics', bearer('hunter22-prometheus'))).status).toBe(200);
  });
});

it('what announces itself and is not wanted is shown with the reason', async () => {
  const { brokerUrl } = await start('mqtt: { embedded: { port: 0 }, discovery: { allow: [{ origin: esphome }] } }\n');
  const peer = await MqttPeer.connect(Number(new URL(brokerUrl ?? '').port));
  await peer.say('homeassistant/switch/plug/config', JSON.stringify({ cmd_t: 'plug/set', o: { name: 'evil' } }));
  const left = async () => JSON.parse((await ask('/api/discovery')).text);
  await expect.poll(left).toEqual({
    left_out: [
      {
        topic: 'homeassistant/switch/plug/config',
        component: '',
        reason: 'no rule of mqtt.discovery.allow allows it',
      },
    ],
  });
  await peer.end();
});

it('no secret of the configuration is in the log, the metrics, a health answer or a refusal', async () => {
  writeFileSync(join(folder, 'secrets.yaml'), 'lamp: hunter22-of-the-lamp\n');
  const { mcpUrl } = await start(`
  lamp:
    kind: switch
    http: { base: "http://127.0.0.1:1", timeout: 1s }
    requests:
      status: { get: /state, query: { api_key: hunter22-query }, headers: { authorization: !secret lamp } }
      apply: { post: /state, json: { on: "{{ want.power }}" }, headers: { X-Api-Key: hunter22-header } }
    fields: { power: { write: apply, read: { request: status, path: on } } }
    verify: { deadline: 1s, poll: [200ms] }
${UNREACHABLE}
tokens: [{ name: anna, token: hunter22-for-anna, scopes: [admin] }]
`);
  const token = 'hunter22-for-anna';
  const { body } = await rawCall(mcpUrl, 'set_switch', { power: 'on' }, { token });
  expect(body.result.structuredContent).toMatchObject({ verdict: 'unreachable' });
  const said = [log, JSON.stringify(body)];
  for (const path of ['/healthz', '/readyz', '/metrics', '/api/tokens', '/nothing']) {
    said.push((await ask(path, bearer(token))).text, (await ask(path, bearer('hunter22-wrong-token'))).text);
  }
  for (const text of said) expect(text).not.toContain('hunter22');
  expect(log).toContain('no connection to the broker');
});
