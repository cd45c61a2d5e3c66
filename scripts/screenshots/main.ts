import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { messageOf } from '../../gateway/domain/errors.ts';
import { startSimulator } from '../../simulator/start.ts';
import { chromiumMissing, launchChromium } from '../support/chromium.ts';
import { startGatewayProgram } from '../support/programs.ts';
import { photograph, type Shot } from './camera.ts';
import { GatewayApi } from './gateway-api.ts';

const ROOT = dirname(shippedPath(''));

/** Where the README and whoever reads it look for the pictures. */
const FOLDER = join(ROOT, 'docs', 'screenshots');

const data = await mkdtemp(join(tmpdir(), 'readback-screenshots-'));
try {
  const missing = chromiumMissing();
  if (missing) throw new Error(missing);
  await takeAll();
} catch (error) {
  console.error(`screenshots: ${messageOf(error)}`);
  process.exitCode = 1;
} finally {
  await rm(data, { recursive: true, force: true });
}
// Programs and browsers that still end would keep this process alive.
process.exit();

async function takeAll(): Promise<void> {
  const browser = await launchChromium();
  for (const shot of [...(await demoShots()), await questionShot()]) {
    await photograph(browser, FOLDER, shot);
    console.log(shot.name);
  }
  await browser.close();
}

/** The demo home after a few commands, one of which its air conditioner ignored and one of which it clamped. */
async function demoShots(): Promise<Shot[]> {
  const args = ['--simulator-port', '0', '--delay', '1s'];
  const { url } = await startGatewayProgram({ dataFolder: join(data, 'demo'), port: 0, args });
  const { origin } = new URL(url);
  const api = new GatewayApi(origin);
  await api.ended('bedroom_fan', { power: 'on', percentage: 50 });
  await api.arm('ac', 'ignore');
  await api.ended('living_room_ac', { fan_mode: 'high' });
  await api.ended('living_room_ac', { target_temperature: 31 });
  await api.arm('ac', 'clamp');
  const clamped = await api.ended('living_room_ac', { target_temperature: 28 });
  await api.ended('reading_lamp', { power: 'on' });
  await api.arm('fan', 'revert');
  return [
    { name: 'devices', url: `${origin}/`, prepare: (page) => page.locator('.badge').nth(2).waitFor() },
    { name: 'commands', url: `${origin}/#/commands`, prepare: (page) => page.locator('.row-link').nth(4).waitFor() },
    { name: 'command', url: `${origin}/#/commands/${clamped}`, prepare: (page) => page.locator('canvas').waitFor() },
    { name: 'simulator', url: `${origin}/#/simulator`, prepare: (page) => page.getByText('Revert once').waitFor() },
    {
      name: 'connect',
      url: `${origin}/#/connect`,
      async prepare(page) {
        await page.getByRole('button', { name: 'Call get_state' }).click();
        await page.getByText(/^Answered in/).waitFor();
      },
    },
  ];
}

/** A question that waits. */
async function questionShot(): Promise<Shot> {
  const simulator = await startSimulator({ delayMs: 1_000 });
  const { url } = await startGatewayProgram({
    config: join(ROOT, 'scripts', 'screenshots', 'asking-home.yaml'),
    dataFolder: join(data, 'asking'),
    port: 0,
    env: { READBACK_SIMULATOR: simulator.url },
  });
  const { origin } = new URL(url);
  const api = new GatewayApi(origin);
  await api.ended('living_room_ac', { target_temperature: 25 });
  await api.command('living_room_ac', { target_temperature: 30 });
  return { name: 'question', url: `${origin}/`, prepare: (page) => page.locator('.question').waitFor() };
}
