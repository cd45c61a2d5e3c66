import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describe } from 'vitest';
import * as z from 'zod';
import { chromiumMissing, launchChromium } from '../../scripts/support/chromium.ts';
import { PAGE_FOLDER } from './fake-gateway.ts';

const missing = [
  chromiumMissing(),
  existsSync(join(PAGE_FOLDER, 'index.html')) ? null : 'the page is not built: npm run build',
].filter((reason) => reason !== null);

/** A suite that needs a browser and the built page; where one is missing it is skipped and its name says why. */
export function describeInBrowser(name: string, suite: () => void): void {
  if (missing.length === 0) describe(name, suite);
  else describe.skip(`${name} (skipped: ${missing.join('; ')})`, suite);
}

/** How long something is waited for that a busy machine may be slow to show. */
export const PATIENT = { timeout: 20_000 } as const;

/** How a page is looked at. */
export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A browser that notes everything that a page has no business to do. */
export class TestBrowser {
  /** Errors on the console, refusals of the content policy among them, and requests to another host. */
  readonly faults: string[] = [];
  #browser: Browser | null = null;
  readonly #contexts: BrowserContext[] = [];

  /** Opens an address in a fresh profile. */
  async open(url: string, { width = 1_280, height = 900, scheme = 'light' }: Look = {}): Promise<Page> {
    this.#browser ??= await launchChromium();
    const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme });
    this.#contexts.push(context);
    const page = await context.newPage();
    const { host } = new URL(url);
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
    page.on('pageerror', (error) => this.faults.push(error.message));
    page.on('request', (request) => {
      if (new URL(request.url()).host !== host) this.faults.push(`a request to ${request.url()}`);
    });
    await page.goto(url);
    return page;
  }

  /** Ends what a test has opened. */
  async closePages(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
    this.faults.length = 0;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }
}

const axeResult = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
});

/** What axe-core finds serious or worse about the page as it stands, with the elements that it means. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = axeResult.parse(await page.evaluate('axe.run({ resultTypes: ["violations"] })'));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** How much wider the page is than its window, in CSS pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** How much of the page has moved by itself since it was opened, as browsers count it: 0.1 is what people notice. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const unasked = list.getEntries().filter((entry) => !entry.hadRecentInput);
      resolve(unasked.reduce((sum, entry) => sum + entry.value, 0));
    }).observe({ type: 'layout-shift', buffered: true });
    // Where nothing moved there is nothing to observe.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
  })`);
}
