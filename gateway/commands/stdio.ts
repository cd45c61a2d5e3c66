import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Bridge } from '../client/bridge.ts';
import { linesOf, TOO_LONG } from '../client/lines.ts';
import { StartError } from '../domain/errors.ts';
import { StoreError } from '../domain/store.ts';
import { answers } from './call-api.ts';
import { type RunningDaemon, startDaemon } from './daemon.ts';
import { type Daemon, type DaemonOptions, findDaemon } from './find-daemon.ts';

/** How the bridge is started, as the command line says it. */
export interface StdioOptions extends DaemonOptions {
  /** Starts the demo where no gateway runs. */
  readonly demo?: true;
  readonly simulatorPort: number;
  readonly delay: number;
}

/** Longest message of a client, in characters; the gateway itself takes less. */
const LONGEST_MESSAGE = 4_000_000;

/** How long a gateway that has just been started by somebody else may take to listen, in ms. */
const RACE_MS = 5_000;

/**
 * `readback stdio`: serves the client at standard input and output by the gateway that runs, until its input ends. Nothing
 * but the protocol goes to standard output; what a person should know goes to standard error.
 * @throws StartError where no gateway runs and none may be started
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const demo = new OwnDemo(options);
  const find = options.demo && options.url === undefined ? () => demo.findOrStart() : () => findDaemon(options);
  const notice = (text: string) => console.error(`readback: ${text}`);
  try {
    notice(`serving ${(await find()).url} over standard input and output`);
    const bridge = new Bridge({
      locate: async () => {
        const daemon = await find();
        return { ...daemon, url: `${daemon.url}/mcp` };
      },
      toClient: (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
      onNotice: notice,
    });
    for await (const line of linesOf(inputUntilStopped(), LONGEST_MESSAGE)) {
      if (line === TOO_LONG) notice(`a message of more than ${LONGEST_MESSAGE} characters was left out`);
      else bridge.fromClient(line);
    }
    await bridge.end();
  } finally {
    await demo.close();
  }
}

/** Standard input; it also ends when the process is asked to end, or when nobody reads its output any more. */
function inputUntilStopped(): Readable {
  const input = process.stdin.pipe(new PassThrough());
  const end = () => {
    process.stdin.unpipe(input);
    input.end();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  process.stdout.once('error', end);
  return input;
}

/** The demo that this process starts if nobody else has. */
class OwnDemo {
  readonly #options: StdioOptions;
  #running: RunningDaemon | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async findOrStart(): Promise<Daemon> {
    const found = await findAnswering(this.#options);
    if (found) return found;
    const { data, simulatorPort, delay: delayMs } = this.#options;
    try {
      this.#running = await startDaemon({
        simulatorPort,
        delay: delayMs,
        port: 0,
        ...(data !== undefined && { data }),
      });
      return await findDaemon(this.#options);
    } catch (error) {
      // Two clients may start at the same moment: the second is served by the first one's demo.
      const other = error instanceof StoreError && error.kind === 'locked' ? await this.#awaitOther() : undefined;
      if (other) return other;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#running?.close();
  }

  async #awaitOther(): Promise<Daemon | undefined> {
    for (let waited = 0; waited < RACE_MS; waited += 100) {
      await delay(100);
      const found = await findAnswering(this.#options);
      if (found) return found;
    }
    return undefined;
  }
}

/** The daemon of the data folder, if it still answers: one that was killed leaves its address behind. */
async function findAnswering(options: DaemonOptions): Promise<Daemon | undefined> {
  try {
    const daemon = await findDaemon(options);
    return (await answers(daemon)) ? daemon : undefined;
  } catch (error) {
    if (error instanceof StartError && error.exitCode === 2) throw error;
    return undefined;
  }
}
