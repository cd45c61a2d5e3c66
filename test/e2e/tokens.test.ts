import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startGatewayProgram } from '../../scripts/support/programs.ts';
import { hasOpenssl, makeCertificates } from '../support/certificates.ts';
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

describe('readback token', () => {
  const data = () => daemons.path('data');
  const token = (...args: string[]) => ended('token', ...args, '--data', data());

  it('makes, lists and revokes tokens in the data folder while nothing runs there', async () => {
    const added = await token('add', 'phone', '--scope', 'approve', 'read');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/phone \(approve, read\), shown this once:\n\n {2}[\w-]{32}\n/);
    expect(added.stdout).toContain('from now on every client has to show a token');
    expect(statSync(daemons.path('data/tokens.json')).mode & 0o077).toBe(0);
    expect((await token('list')).stdout).toMatch(/^ {2}phone {2}approve, read {2}\(added\)\n$/);
    const again = await token('add', 'phone');
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^readback: there is a token named "phone"/),
    });
    expect((await token('revoke', 'phone')).stdout).toContain('It was the last one');
    expect((await token('revoke', 'phone')).stderr).toMatch(/no token named "phone"/);
    expect((await token('list')).stdout).toMatch(/^There are no tokens/);
  });

  it('takes effect at once where a gateway runs, and lasts over its restart', async () => {
    const simulator = await daemons.simulator(0);
    const before = await daemons.gateway(simulator);
    expect((await rawRpc(before.url, 'tools/list')).status).toBe(200);
    const [, shown = ''] = /\n {2}([\w-]{32})\n/.exec((await token('add', 'laptop')).stdout) ?? [];
    expect((await rawRpc(before.url, 'tools/list')).status).toBe(401);
    expect((await rawRpc(before.url, 'tools/list', {}, { token: shown })).status).toBe(200);
    await before.program.end('SIGTERM');
    const after = await daemons.gateway(simulator);
    expect((await rawRpc(after.url, 'tools/list', {}, { token: shown })).status).toBe(200);
    expect((await ended('approvals', '--data', data())).stdout).toContain('Nothing waits');
    const stranger = await ended('token', 'list', '--url', new URL(after.url).origin, '--token', shown);
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('needs the scope admin') });
    expect((await token('revoke', 'laptop')).code).toBe(0);
    expect((await rawRpc(after.url, 'tools/list')).status).toBe(200);
    expect(before.program.stderr() + after.program.stderr()).not.toContain(shown);
  });
});

describe.skipIf(!hasOpenssl)('a gateway with a certificate', () => {
  it('is found by the commands of its machine, and by a client at a pipe', async () => {
    const files = makeCertificates();
    writeHome(`server: { tls: { cert: ${files.cert}, key: ${files.key} } }\n`);
    const simulator = await daemons.simulator(0);
    const env = { READBACK_SIMULATOR: simulator.url };
    const gateway = await startGatewayProgram({ config, dataFolder: daemons.path('data'), port: 0, env });
    expect(gateway.url).toMatch(/^https:/);
    expect(gateway.program.stdout()).toContain(gateway.url);
    expect((await ended('approvals', '--data', daemons.path('data'))).stdout).toContain('Nothing waits');
    const pipe = daemons.run('stdio', '--data', daemons.path('data'));
    expect(await pipe.exited).toMatchObject({ code: 0 });
    expect(pipe.stderr()).toContain('serving https:');
    await gateway.program.end('SIGTERM');
    files.remove();
  });
});

it('warns of files with secrets that others can read', async () => {
  chmodSync(daemons.path('secrets.yaml'), 0o644);
  writeHome('tokens: [{ name: assistant, token: !secret assistant }]\n');
  const simulator = await daemons.simulator(0);
  const env = { READBACK_SIMULATOR: simulator.url };
  const gateway = await startGatewayProgram({ config, dataFolder: daemons.path('data'), port: 0, env });
  await gateway.program.end('SIGTERM');
  const warnings = gateway.program
    .stderr()
    .split('\n')
    .filter((line) => line.includes('others can read this file'));
  expect(warnings).toEqual([expect.stringContaining('secrets.yaml')]);
});
