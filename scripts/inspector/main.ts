import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { messageOf } from '../../gateway/domain/errors.ts';
import { startGatewayProgram, startSimulatorProgram } from '../support/programs.ts';
import { runChecks } from './checks.ts';
import { Inspector, UnavailableError } from './inspector.ts';

new Command('inspector')
  .description("Calls the built gateway with the command line of MCP's Inspector. Exit code 2: it could not be had.")
  .parse();

const ROOT = dirname(shippedPath(''));

/** How long the simulated device takes to act, in ms. */
const ACTUATION_MS = 200;

async function main(folder: string): Promise<void> {
  const inspector = new Inspector(join(folder, 'inspector'));
  await inspector.install();
  const token = randomBytes(24).toString('hex');
  const config = join(folder, 'home.yaml');
  const home = await readFile(join(ROOT, 'test/fixtures/quick-home.yaml'), 'utf8');
  await writeFile(config, `${home}\ntokens: [{ name: inspector, token: ${token} }]\n`);
  const simulator = await startSimulatorProgram(ACTUATION_MS);
  const dataFolder = join(folder, 'data');
  const env = { READBACK_SIMULATOR: simulator.url };
  const gateway = await startGatewayProgram({ config, dataFolder, port: 0, env });
  const stdio = [process.execPath, join(ROOT, 'dist/gateway/cli.js'), 'stdio', '--data', dataFolder, '--'];
  const checked = await runChecks(inspector, { url: gateway.url, stdio, token });
  await gateway.program.end('SIGTERM');
  await simulator.program.end('SIGTERM');
  for (const { what, fault } of checked) console.log(fault === undefined ? `ok    ${what}` : `FAIL  ${what}: ${fault}`);
  const failed = checked.filter(({ fault }) => fault !== undefined).length;
  console.log(`\n${checked.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

const folder = await mkdtemp(join(tmpdir(), 'readback-inspector-'));
try {
  await main(folder);
} catch (error) {
  console.error(`inspector: ${messageOf(error)}`);
  process.exitCode = error instanceof UnavailableError ? 2 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
