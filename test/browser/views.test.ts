import { afterAll, afterEach, expect, it } from 'vitest';
import { VERDICTS } from '../../gateway/domain/verdict.ts';
import { describeInBrowser, overflow, PATIENT, seriousFindings, TestBrowser } from './browser.ts';
import { FakeGateway, type FakeHouse } from './fake-gateway.ts';
import { airConditioner, command, crowdedHouse, ended, field, house, SIMULATOR, waiting } from './houses.ts';

const browser = new TestBrowser();
const gateways: FakeGateway[] = [];

async function gatewayOf(what: FakeHouse): Promise<string> {
  const gateway = new FakeGateway(what);
  gateways.push(gateway);
  return gateway.start();
}

/** A house in which every control and every verdict occurs once. */
function variedHouse(): FakeHouse {
  const devices = [
    airConditioner('ac'),
    airConditioner('away', { reachable: false, name: 'Away', caveats: ['It reports what it sent before it has.'] }),
    airConditioner('fan', {
      kind: 'fan',
      fields: [
        field('percentage', 37.5, { min: 12.5, max: 100, step: 12.5, unit: '%' }),
        field('preset_mode', null, { applies: false, applies_text: 'only while it is on', options: ['eco', 'boost'] }),
        field('note', 'hello'),
      ],
    }),
  ];
  const all = VERDICTS.map((verdict, index) => ended(`${verdict}-1`, verdict, 60 + index));
  const commands = [command('open-1'), waiting('waiting-1', { device: 'away' }), ...all];
  const home = { ...house().home, simulator: true };
  const leftOut = [{ topic: 'homeassistant/lock/door/config', component: '', reason: 'locks are not taken in' }];
  return house({ home, devices, commands, simulator: SIMULATOR, leftOut });
}

afterEach(async () => {
  await browser.closePages();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
});

afterAll(() => browser.close());

const VIEWS = {
  '#/devices': 'article.card',
  '#/commands': '.row-link',
  '#/commands/ignored-1': '.u-wrap canvas',
  '#/simulator': '.truths',
  '#/connect': '.copyable',
} as const;

describeInBrowser('every view', () => {
  it.for(['light', 'dark'] as const)('has nothing that axe-core finds serious, in %s', async (scheme) => {
    const url = await gatewayOf(variedHouse());
    const page = await browser.open(url, { scheme });
    for (const [hash, there] of Object.entries(VIEWS)) {
      await page.goto(`${url}/${hash}`);
      await page.locator(there).first().waitFor();
      expect(await seriousFindings(page), hash).toEqual([]);
    }
    expect(browser.faults).toEqual([]);
  });

  it.for([320, 1_280])('fits a window %i pixels wide, whatever the names are', async (width) => {
    const url = await gatewayOf({ ...crowdedHouse(), simulator: SIMULATOR });
    const page = await browser.open(url, { width });
    const crowded = { ...VIEWS, '#/commands/command-3': '.u-wrap canvas' };
    for (const [hash, there] of Object.entries(crowded)) {
      if (hash === '#/commands/ignored-1') continue;
      await page.goto(`${url}/${hash}`);
      await page.locator(there).first().waitFor();
      expect(await overflow(page), hash).toBeLessThanOrEqual(0);
    }
    expect(browser.faults).toEqual([]);
  });

  it('says so where there is nothing', async () => {
    const url = await gatewayOf(house());
    const page = await browser.open(url);
    await page.getByRole('heading', { name: 'No devices yet' }).waitFor();
    await page.getByRole('link', { name: 'Commands' }).click();
    await page.getByRole('heading', { name: 'No commands yet' }).waitFor();
    await page.goto(`${url}/#/commands?verdict=ignored`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });

  it('lets the keyboard skip to what is shown, and stays there', async () => {
    const url = `${await gatewayOf(house())}/#/commands`;
    const page = await browser.open(url);
    await page.getByRole('heading', { name: 'No commands yet' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    expect(page.url()).toBe(url);
  });

  it('says what announced itself and is not taken in', async () => {
    const page = await browser.open(await gatewayOf(variedHouse()));
    await page.getByText('1 announcement not taken in').click();
    await page.getByText('locks are not taken in').waitFor();
  });
});

describeInBrowser('the list of commands', () => {
  it('pages through a thousand, and narrows them', async () => {
    const page = await browser.open(`${await gatewayOf(crowdedHouse())}/#/commands`);
    const rows = page.locator('.row-link');
    await expect.poll(() => rows.count(), PATIENT).toBe(50);
    await page.getByRole('button', { name: 'Older commands' }).click();
    await expect.poll(() => rows.count(), PATIENT).toBe(100);
    await page.getByLabel('Verdict').selectOption('Ignored');
    await expect
      .poll(() => page.locator('.row-link .badge').allTextContents(), PATIENT)
      .toEqual(Array(50).fill('Ignored'));
    await expect.poll(() => page.url(), PATIENT).toContain('verdict=ignored');
  });
});
