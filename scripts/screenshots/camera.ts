import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** A window in which the page is looked at. Phones draw finer: a picture of theirs is twice as wide in pixels. */
const WINDOWS = {
  desktop: { viewport: { width: 1_280, height: 860 } },
  phone: { viewport: { width: 390, height: 800 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
} as const;

const SCHEMES = ['light', 'dark'] as const;

/** A view of the page, and what has to be there before its picture is taken. */
export interface Shot {
  readonly name: string;
  readonly url: string;
  /** Makes the page show what the picture is of. */
  readonly prepare: (page: Page) => Promise<void>;
}

/** Takes a picture of a view in each window and each scheme of colours, into files named after them. */
export async function photograph(browser: Browser, folder: string, { name, url, prepare }: Shot): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [window, options] of Object.entries(WINDOWS)) {
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ ...options, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' });
      const page = await context.newPage();
      await page.goto(url);
      await prepare(page);
      await page.screenshot({ path: join(folder, `${name}-${window}-${colorScheme}.png`) });
      await context.close();
    }
  }
}
