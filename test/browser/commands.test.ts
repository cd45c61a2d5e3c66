import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/start.ts';
import { describeInBrowser, layoutShift, PATIENT } from './browser.ts';
import { stageOfFile } from './living-home.ts';

const stage = stageOfFile();
const { browser } = stage;
let simulator: Simulator;

beforeEach(async () => {
  simulator = await stage.homes.daemons.simulator(700);
});

const cardOf = (page: Page) => page.getByRole('article', { name: 'Quick AC' });

describeInBrowser('a command on the page', () => {
  it('is pending until the device was read, and its story tells how it was verified', async () => {
    const { origin } = await stage.homes.quick(simulator);
    const page = await browser.open(origin);
    const card = cardOf(page);
    const on = card.getByRole('button', { name: 'On', exact: true });
    const off = card.getByRole('button', { name: 'Off', exact: true });
    await expect.poll(() => on.getAttribute('aria-pressed'), PATIENT).toBe('true');

    await off.click();
    await expect.poll(() => off.getAttribute('aria-busy'), PATIENT).toBe('true');
    expect(await on.getAttribute('aria-pressed')).toBe('true');
    await card.locator('.badge', { hasText: 'Verified' }).waitFor();
    await expect.poll(() => off.getAttribute('aria-pressed'), PATIENT).toBe('true');
    expect(simulator.home.truth('ac').counts['ac']).toMatchObject({ commands: 1 });
    expect(await layoutShift(page)).toBeLessThan(0.02);

    await card.locator('.last-command-link').click();
    await expect.poll(() => page.locator('.moment').allTextContents(), PATIENT).toHaveLength(5);
    expect(await page.locator('.moment-text').allTextContents()).toEqual([
      'local asked for power off',
      'Sent power off',
      expect.stringMatching(/^Read: power on, as the device answered/),
      'Read: power off, as the device answered',
      'Quick AC: verified: power is off.',
    ]);
    const plot = page.getByRole('img', { name: /^Wanted Off, On before\. Read: On after .*, Off after / });
    await plot.locator('canvas').waitFor();
    expect(browser.faults).toEqual([]);
  });

  it('makes one wish of taps that follow each other, and shows what was told beside what is read', async () => {
    simulator.home.arm('ac', 'ignore', { times: 1 });
    const { origin } = await stage.homes.quick(simulator);
    const page = await browser.open(origin);
    const card = cardOf(page);
    const value = card.getByRole('group', { name: 'Target' }).getByRole('status');
    await expect.poll(() => value.textContent(), PATIENT).toBe('24 °C');

    await card.getByRole('button', { name: 'Target up' }).click({ clickCount: 2 });
    await card.locator('.told.pending', { hasText: '→ 26 °C' }).waitFor();
    expect(await value.textContent()).toBe('24 °C');
    await card.locator('.badge', { hasText: 'Ignored' }).waitFor();
    await card.locator('.told.apart', { hasText: 'told 26 °C' }).waitFor();
    expect(await value.textContent()).toBe('24 °C');

    await card.locator('.last-command-link').click();
    const first = page.url();
    await page.getByRole('button', { name: 'Repeat' }).click();
    await page.locator('.command-title .badge', { hasText: 'Verified' }).waitFor();
    expect(page.url()).not.toBe(first);
    expect(simulator.home.truth('ac').counts['ac']).toMatchObject({ commands: 2 });
    expect(browser.faults).toEqual([]);
  });

  it('is cancelled while it waits for a person, and says that nothing was sent', async () => {
    const { origin } = await stage.homes.quick(simulator);
    const page = await browser.open(origin);
    // Above 28 degrees the quick home asks.
    await cardOf(page).getByText('24 °C').first().waitFor();
    await cardOf(page).getByRole('button', { name: 'Target up' }).click({ clickCount: 6 });
    await page.getByRole('article', { name: 'Question about Quick AC' }).waitFor();
    await page.goto(`${origin}/#/commands`);
    await page.locator('.row-link').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.command-title .badge', { hasText: 'Cancelled' }).waitFor();
    expect(await page.locator('.command-sentence').textContent()).toMatch(/before it was sent: the device received/);
    await page.locator('.question').waitFor({ state: 'detached' });
    expect(browser.faults).toEqual([]);
  });
});
