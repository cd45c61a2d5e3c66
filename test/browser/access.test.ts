import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { tokenOf } from '../support/tokens.ts';
import { describeInBrowser, seriousFindings } from './browser.ts';
import { type LivingHome, stageOfFile } from './living-home.ts';

const stage = stageOfFile();
const { browser } = stage;
let home: LivingHome;

beforeEach(async () => {
  const simulator = await stage.homes.daemons.simulator(200);
  home = await stage.homes.guarded(simulator, {
    grandmother: ['read'],
    youngest: ['control'],
    'their-father': ['control', 'approve'],
    householder: ['admin'],
  });
});

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Token').fill(tokenOf(name));
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const powerOf = (page: Page) => page.getByRole('button', { name: 'Off', exact: true });

describeInBrowser('the sign-in', () => {
  it('lets nobody in whose token is not known, and shows everybody what is theirs', async () => {
    const page = await browser.open(home.origin);
    await signIn(page, 'stranger');
    await page.getByText('This token is not known here').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await signIn(page, 'grandmother');
    await page.getByRole('article', { name: 'Quick AC' }).getByText('24 °C').first().waitFor();
    expect(await powerOf(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Target up' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, 'youngest');
    await powerOf(page).waitFor();
    await page.getByRole('button', { name: 'Target up' }).click({ clickCount: 6 });
    await page.getByText('Waiting', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Questions' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, 'their-father');
    const question = page.getByRole('article', { name: 'Question about Quick AC' });
    await question.getByText('youngest asks for it').waitFor();
    await question.getByRole('button', { name: 'Deny' }).click();
    await question.getByText('Denied by you').waitFor();

    // The refused token above is the one thing that a browser notes by itself.
    expect(browser.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('gives an owner a token for a client, shown once, and calls the gateway with it', async () => {
    const page = await browser.open(`${home.origin}/#/connect`);
    await signIn(page, 'householder');
    const entry = page.getByRole('region', { name: 'the entry for Claude Code' });
    await page.getByRole('button', { name: 'Make it' }).click();
    const token = await page.getByRole('region', { name: 'the token' }).textContent();
    expect(await entry.textContent()).toBe(
      `claude mcp add --transport http readback ${home.origin}/mcp --header "Authorization: Bearer ${token}"`,
    );
    await page.getByRole('button', { name: 'Call get_state' }).click();
    await page.getByText(/^Quick AC \(ac\) is reachable.*target_temperature 24/).waitFor();

    await page.getByRole('listitem').filter({ hasText: 'assistant' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('listitem').filter({ hasText: 'assistant' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Call get_state' }).click();
    await page.getByText('Not served').waitFor();
    expect(browser.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});
