import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium; no browser is fetched. */
const PATH = '/usr/bin/chromium';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What is missing for a browser, and how it is had; null: nothing. */
export function chromiumMissing(): string | null {
  return existsSync(PATH) ? null : `there is no ${PATH}: apt-get install chromium`;
}

/** Starts a browser without a window. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: ARGS });
}
