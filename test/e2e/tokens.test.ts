import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startGatewayProgram } from '../../scripts/support/programs.ts';
import { Daemons, QUICK_HOME } from '../support/daemon.ts';
import { rawCall, rawRpc, TASK_CLIENT } from '../support/raw-rpc.ts';

// A start takes seconds on a Raspberry Pi, or where other tests run beside this one.
vi.setConfig({ testTimeout: 60_000 });

const TOKEN = 'a-token-for-the-assistant';

let daemons: Daemons;
let config: string;

beforeEach(() => {
  daemons = new Daemons();
  config = daemons.path('home.yaml');
  writeFileSync(daemons.path('secrets.yaml'), `assistant: ${TOKEN}\n`);
});

afterEach(async () => {
  await daemons.close();
});

function writeHome(more: string): void {
  writeFileSync(config, `${readFileSync(QUICK_HOME, 'utf8')}\n${more}`);
}

/** The gateway on any address, with one token. */
async function startOpen() {
  writeHome('server: { host: 0.0.0.0 }\ntokens: [{ name: assistant, token: !secret assistant }]\n');
  const simulator = await daemons.simulator(0);
  const env = { READBACK_SIMULATOR: simulator.url };
  const gateway = await startGatewayProgram({ config, dataFolder: daemons.path('data'), port: 0, env });
  return { url: gateway.url, end: () => gateway.program.end('SIGTERM') };
}

/** Runs a command of the command line to its end. */
async function ended(...args: string[]) {
  const program = daemons.run(...args);
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

describe('an address that lets other machines in', () => {
  it('is refused without tokens, in one line and with exit code 2', async () => {
    writeHome('server:\n  host: 0.0.0.0\n');
    const { code, stdout, stderr } = await ended('--config', config, '--port', '0', '--data', daemons.path('data'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^readback: "0\.0\.0\.0" lets other machines in.*add tokens[^\n]*\n$/);
  });

  it('is refused on the command line too', async () => {
    const args = ['--config', QUICK_HOME, '--host', '0.0.0.0', '--port', '0', '--data', daemons.path('data')];
    const { code, stderr } = await ended(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^readback: "0\.0\.0\.0" lets other machines in[^\n]*\n$/);
  });
});

describe('a gateway with tokens', () => {
  it('serves whoever shows one, and says nothing of it anywhere', async () => {
    const { url, end } = await startOpen();
    expect((await rawRpc(url, 'tools/list')).status).toBe(401);
    const { body } = await rawRpc(url, 'tools/list', {}, { token: TOKEN });
    expect(body.result.tools.length).toBeGreaterThan(3);
    expect(readFileSync(daemons.path('data/daemon.json'), 'utf8')).not.toContain(TOKEN);
    await end();
  });

  it("lets this machine's own user answer by the token in the data folder, which nobody else can read", async () => {
    const { url, end } = await startOpen();
    const set = { target_temperature: 30 };
    const { body } = await rawCall(url, 'set_climate', set, { token: TOKEN, capabilities: TASK_CLIENT });
    const { taskId } = body.result;
    expect(statSync(daemons.path('data/daemon.json')).mode & 0o077).toBe(0);
    expect((await ended('approvals', '--data', daemons.path('data'))).stdout).toContain(`${taskId}  `);
    expect(await ended('approve', taskId, '--data', daemons.path('data'))).toMatchObject({ code: 0 });
    const stranger = await ended('approvals', '--url', new URL(url).origin);
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('--token or READBACK_TOKEN') });
    await end();
  });
});
