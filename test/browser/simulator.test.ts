import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { stageOfFile } from './living-home.ts';

const stage = stageOfFile();
const { browser } = stage;

describeInBrowser('the simulator panel', () => {
  it('has a device misbehave, and shows the truth beside what the gateway believes', async () => {
    const { origin } = await stage.homes.demo('300ms');
    const page = await browser.open(`${origin}/#/simulator`);
    const simulated = page.getByRole('article', { name: 'Air conditioner', exact: true });
    await simulated.getByText('Behaves as it should').waitFor();
    await simulated.getByLabel('Fault of Air conditioner').selectOption('Clamp');
    await simulated.getByRole('button', { name: 'Once' }).click();
    await simulated.getByText('Clamp once').waitFor();

    await page.getByRole('link', { name: 'Devices' }).click();
    const card = page.getByRole('article', { name: 'Living-room AC' });
    await card.getByText('24 °C').first().waitFor();
    await card.getByRole('button', { name: 'Target up' }).click({ clickCount: 4 });
    await card.locator('.badge', { hasText: 'Mismatch' }).waitFor();
    const read = await card.getByRole('group', { name: 'Target' }).getByRole('status').textContent();
    expect(['25 °C', '26 °C', '27 °C']).toContain(read);

    await page.getByRole('link', { name: 'Simulator' }).click();
    await simulated.getByText('1 command really received').waitFor();
    await simulated.getByText('Behaves as it should').waitFor();
    expect(await simulated.locator('.values > div', { hasText: 'Temperature' }).first().textContent()).toBe(
      `Temperature${parseInt(String(read), 10)}`,
    );
    expect(await simulated.locator('.values > div', { hasText: 'Target' }).textContent()).toBe(`Target${read}`);
    expect(browser.faults).toEqual([]);
  });
});
