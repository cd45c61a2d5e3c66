import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../gateway/domain/errors.ts';

const PACKAGE = '@modelcontextprotocol/inspector';
const VERSION = '2.12.0';

/** Longest installation and longest call, in ms. */
const INSTALL_MS = 180_000;
const CALL_MS = 60_000;

const run = promisify(execFile);

/** The Inspector could not be had: a fault of the network, or of the registry, and not of the gateway. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** What the Inspector's command line said. */
export interface Said {
  readonly code: number;
  /** What it printed, as JSON; undefined where it printed none. */
  readonly output: unknown;
  /** Its own word for what went wrong. */
  readonly error: string | undefined;
}

/** The Inspector's command line, in a folder of its own. */
export class Inspector {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Installs it. It is no dependency of the repository: with a browser's worth of packages it weighs 110 MB, and its
   * scripts would install more; the command line needs none of that.
   * @throws UnavailableError where the registry does not give it
   */
  async install(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    // It asks for a newer Node than its command line needs, which the settings of this repository would refuse.
    const lenient = ['--ignore-scripts', '--no-engine-strict', '--no-audit', '--no-fund'];
    const args = ['install', '--prefix', this.#folder, ...lenient];
    await run('npm', [...args, `${PACKAGE}@${VERSION}`], { timeout: INSTALL_MS }).catch((error: unknown) => {
      throw new UnavailableError(`${PACKAGE} cannot be installed: ${messageOf(error).split('\n')[0]}`);
    });
  }

  /** Runs one call. `target` is an address or a command. */
  async call(target: readonly string[], ...args: string[]): Promise<Said> {
    const bin = join(this.#folder, 'node_modules', PACKAGE, 'clients/launcher/build/index.js');
    // It keeps a catalogue in the home folder.
    const env = { ...process.env, HOME: this.#folder };
    const { code, stdout, stderr } = await run(process.execPath, [bin, '--cli', ...target, ...args], {
      env,
      timeout: CALL_MS,
    }).then(
      (said) => ({ ...said, code: 0 }),
      (failed: { code?: number; stdout?: string; stderr?: string }) => ({
        code: failed.code ?? -1,
        stdout: failed.stdout ?? '',
        stderr: failed.stderr ?? '',
      }),
    );
    return { code, output: parsed(stdout), error: /"code":"(\w+)"/.exec(stderr)?.[1] };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
