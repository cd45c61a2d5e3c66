import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { messageOf } from '../../gateway/domain/errors.ts';
import { rpc, rpcRequest } from '../support/rpc.ts';
import { BASELINE } from './baseline.ts';
import { startFixtureServer } from './fixture-server.ts';
import { applies, type Judged, judge } from './judge.ts';
import { offeredScenarios, REVISIONS, type Revision, runRevision, type Scenario } from './suite.ts';

new Command('conformance')
  .description('Runs the official MCP conformance suite against the gateway, with fixtures in place of a home.')
  .parse();

/** Some scenarios pass against a server that is not there. */
async function assertHealthy(url: string): Promise<void> {
  const { capabilities } = await rpc(url, rpcRequest('server/discover'));
  if (!capabilities) throw new Error(`the server at ${url} does not tell what it can do`);
}

async function runAll(url: string): Promise<{ offered: Scenario[]; judged: Judged[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'readback-conformance-'));
  try {
    await assertHealthy(url);
    const [offered, ...results] = await Promise.all([
      offeredScenarios(),
      ...REVISIONS.map((revision) => runRevision(url, revision, join(folder, revision))),
    ]);
    await assertHealthy(url);
    const judged = REVISIONS.flatMap((revision, index) =>
      judge(revision, offered, results[index] ?? new Map(), BASELINE),
    );
    return { offered, judged };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report({ offered, judged }: { offered: Scenario[]; judged: Judged[] }, faults: readonly Error[]): void {
  for (const { revision, scenario, passed, failures, notes } of judged) {
    console.log(`${failures.length > 0 ? 'FAIL' : 'ok  '}  ${revision}  ${scenario} (${passed} passed)`);
    for (const text of [...failures, ...notes]) console.log(`        ${text}`);
  }
  const left = offered.filter((scenario) => !REVISIONS.some((revision: Revision) => applies(scenario, revision)));
  for (const { name } of left) console.log(`left out: ${name}, of an extension that the gateway does not have`);
  for (const { message } of faults) console.log(`FAIL  a fault inside the gateway: ${message}`);
  const passed = judged.reduce((sum, each) => sum + each.passed, 0);
  const failed = judged.reduce((sum, each) => sum + each.failures.length, 0) + faults.length;
  console.log(`\n${judged.length} scenarios over ${REVISIONS.join(' and ')}\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

try {
  const server = await startFixtureServer();
  try {
    report(await runAll(server.url), server.faults);
  } finally {
    await server.close();
  }
} catch (error) {
  console.error(`conformance: ${messageOf(error)}`);
  process.exitCode = 2;
}
