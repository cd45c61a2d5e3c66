import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
  return { url: gateway.url, end: () => gateway.program.end('SIGTERM'), stderr: gateway.program.stderr };
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
  it('serves whoever shows one, says nothing of it anywhere, and warns that others can read the file of secrets', async () => {
    const { url, end, stderr } = await startOpen();
    expect((await rawRpc(url, 'tools/list')).status).toBe(401);
    const { body } = await rawRpc(url, 'tools/list', {}, { token: TOKEN });
    expect(body.result.tools.length).toBeGreaterThan(3);
    expect(readFileSync(daemons.path('data/daemon.json'), 'utf8')).not.toContain(TOKEN);
    await end();
    expect(stderr()).toMatch(/secrets\.yaml.*others can read this file/);
    expect(stderr()).not.toContain(TOKEN);
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
  it('takes effect at once where a gateway runs, and lasts over its restart', async () => {
    const simulator = await daemons.simulator(0);
    const before = await daemons.gateway(simulator);
    expect((await rawRpc(before.url, 'tools/list')).status).toBe(200);
    const { stdout } = await ended('token', 'add', 'laptop', '--data', daemons.path('data'));
    const [, token = ''] = /\n {2}([\w-]{32})\n/.exec(stdout) ?? [];
    expect((await rawRpc(before.url, 'tools/list')).status).toBe(401);
    expect((await rawRpc(before.url, 'tools/list', {}, { token })).status).toBe(200);
    await before.program.end('SIGTERM');
    const after = await daemons.gateway(simulator);
    expect((await rawRpc(after.url, 'tools/list', {}, { token })).status).toBe(200);
    const revoked = await ended('token', 'revoke', 'laptop', '--data', daemons.path('data'));
    expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining('It was the last one') });
    expect((await rawRpc(after.url, 'tools/list')).status).toBe(200);
    expect(before.program.stderr() + after.program.stderr()).not.toContain(token);
  });
});

describe.skipIf(!hasOpenssl)('a gateway with a certificate', () => {
  it('is found by the commands of its machine, also once it was renewed', async () => {
    const [files, renewed] = [makeCertificates(), makeCertificates()];
    writeHome(`server: { tls: { cert: ${files.cert}, key: ${files.key} } }\n`);
    const simulator = await daemons.simulator(0);
    const env = { READBACK_SIMULATOR: simulator.url };
    const args = ['--log-level', 'info'];
    const gateway = await startGatewayProgram({ config, dataFolder: daemons.path('data'), port: 0, env, args });
    expect(gateway.program.stdout()).toContain(`MCP address   ${gateway.url}`);
    expect(gateway.url).toMatch(/^https:/);
    const pipe = daemons.run('stdio', '--data', daemons.path('data'));
    expect(await pipe.exited).toMatchObject({ code: 0 });
    expect(pipe.stderr()).toContain('serving https:');
    for (const part of ['cert', 'key'] as const) copyFileSync(renewed[part], files[part]);
    process.kill(gateway.program.pid, 'SIGHUP');
    await expect.poll(gateway.program.stderr, { timeout: 20_000 }).toContain('the certificate was read again');
    expect(readFileSync(daemons.path('data/daemon.json'), 'utf8')).toContain(
      JSON.stringify(readFileSync(renewed.cert, 'utf8')).slice(1, -1),
    );
    const again = daemons.run('stdio', '--data', daemons.path('data'));
    expect(await again.exited).toMatchObject({ code: 0 });
    await gateway.program.end('SIGTERM');
    files.remove();
    renewed.remove();
  });
});
