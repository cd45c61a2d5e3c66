import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import type { Scope } from '../../gateway/domain/principal.ts';
import { type ListeningGateway, startGatewayProgram } from '../../scripts/support/programs.ts';
import type { Simulator } from '../../simulator/start.ts';
import { Daemons, QUICK_HOME } from '../support/daemon.ts';
import { tokenOf } from '../support/tokens.ts';
import { TestBrowser } from './browser.ts';

/** The built gateway with a real device behind it, as a browser sees it. */
export interface LivingHome {
  readonly gateway: ListeningGateway;
  /** Where the page is. */
  readonly origin: string;
}

/** What one test starts; `close` of its daemons ends it all. */
export class LivingHomes {
  readonly daemons = new Daemons();
  readonly #ends: (() => unknown)[] = [];

  /** The quick home. @param port 0 takes a free one */
  async quick(simulator: Simulator, port = 0): Promise<LivingHome> {
    return this.#start({ config: QUICK_HOME, port, env: { READBACK_SIMULATOR: simulator.url } });
  }

  /** The quick home behind tokens, one for each of these names. */
  async guarded(simulator: Simulator, tokens: Readonly<Record<string, readonly Scope[]>>): Promise<LivingHome> {
    const config = this.daemons.path('guarded-home.yaml');
    const entries = Object.entries(tokens).map(([name, scopes]) => ({ name, token: tokenOf(name), scopes }));
    writeFileSync(config, `${readFileSync(QUICK_HOME, 'utf8')}\ntokens: ${JSON.stringify(entries)}\n`, { mode: 0o600 });
    return this.#start({ config, port: 0, env: { READBACK_SIMULATOR: simulator.url } });
  }

  /** The demo home, with its simulator in the same process. */
  async demo(delay: string): Promise<LivingHome> {
    return this.#start({ port: 0, args: ['--simulator-port', '0', '--delay', delay] });
  }

  async close(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
    await this.daemons.close();
  }

  async #start(settings: Omit<Parameters<typeof startGatewayProgram>[0], 'dataFolder'>): Promise<LivingHome> {
    const gateway = await startGatewayProgram({ ...settings, dataFolder: this.daemons.path('data') });
    this.#ends.push(() => gateway.program.end());
    return { gateway, origin: new URL(gateway.url).origin };
  }
}

/** What the tests of one file work with. */
export interface Stage {
  readonly browser: TestBrowser;
  /** Those of the test that runs. */
  readonly homes: LivingHomes;
}

/** A browser for a whole file, homes for each of its tests, and the time that a start takes on a Raspberry Pi. */
export function stageOfFile(): Stage {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
  const browser = new TestBrowser();
  let homes: LivingHomes;
  beforeEach(() => {
    homes = new LivingHomes();
  });
  afterEach(async () => {
    await browser.closePages();
    await homes.close();
  });
  afterAll(() => browser.close());
  return {
    browser,
    get homes() {
      return homes;
    },
  };
}
