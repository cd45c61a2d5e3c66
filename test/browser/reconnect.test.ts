import { expect, it } from 'vitest';
import { submit } from '../support/daemon.ts';
import { describeInBrowser } from './browser.ts';
import { stageOfFile } from './living-home.ts';

const stage = stageOfFile();
const { browser } = stage;

describeInBrowser('a page whose gateway is gone', () => {
  it('says how old it is, comes back by itself, and catches up', async () => {
    const simulator = await stage.homes.daemons.simulator(200);
    const { gateway, origin } = await stage.homes.quick(simulator);
    const page = await browser.open(origin);
    const card = page.getByRole('article', { name: 'Quick AC' });
    await card.getByText('24 °C').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    await gateway.program.end('SIGKILL');
    await page.getByText(/^Last heard \d+ s ago, reconnecting$/).waitFor();

    const again = await stage.homes.quick(simulator, Number(new URL(origin).port));
    await page.getByText('Live', { exact: true }).waitFor();
    const client = await stage.homes.daemons.client(again.gateway.url);
    await submit(client, 27);
    await card.getByText('27 °C').first().waitFor();
    expect(browser.faults.filter((fault) => !fault.startsWith('Failed to load resource'))).toEqual([]);
  });
});
