import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import { compileRequest } from '../../gateway/devices/http-request.ts';
import { type HttpAnswer, wireText } from './case.ts';
import type { Received } from './received.ts';
import type { Happening, Timeline } from './timeline.ts';

/**
 * The HTTP side of a device, over a real socket. Before its first entry nobody listens at all; from then on a request
 * without an entry has its connection reset, which is as near to "refused" as one open port can come.
 */
export class ScriptedHttp {
  /** The commands received, oldest first; questions are not among them. */
  readonly commands: Received[] = [];
  readonly #answers: readonly HttpAnswer[];
  readonly #timeline: Timeline;
  readonly #server: Server;
  #port = 0;
  #isCommand: (seen: Seen) => boolean = () => false;

  constructor(answers: readonly HttpAnswer[], timeline: Timeline) {
    this.#answers = answers;
    this.#timeline = timeline;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  /** Takes a free port, which stays this device's own; lets go of it as long as nobody is home. */
  async start(): Promise<void> {
    await this.#open();
    this.#port = (this.#server.address() as AddressInfo).port;
    if (this.#homeFrom > 0) await this.#close();
  }

  /** What has to happen for the device to come home in the middle of the situation. */
  happenings(): Happening[] {
    const at = this.#homeFrom;
    return at > 0 && Number.isFinite(at) ? [{ at, run: () => void this.#open() }] : [];
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Says which of the requests are commands. */
  describe(config: DeviceConfig): void {
    this.#isCommand = commandTest(config);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await this.#close();
  }

  /** An entry from time zero is there for the very command that begins it. */
  get #homeFrom(): number {
    return Math.min(...this.#answers.map(({ from }) => from));
  }

  async #open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
  }

  async #close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method ?? '';
    const seen: Seen = { method, url: request.url ?? '/', body: Buffer.concat(chunks).toString() };
    if (this.#isCommand(seen)) {
      this.commands.push({ to: requestName(`${method} ${seen.url}`), payload: seen.body });
      this.#timeline.begin();
    }
    const answer = this.#answerTo(requestName(`${method} ${seen.url}`));
    if (!answer) {
      request.socket.resetAndDestroy();
      return;
    }
    this.#timeline.after(answer.delay, () => {
      if (response.destroyed) return;
      const type = typeof answer.body === 'string' ? 'text/plain' : 'application/json';
      response.writeHead(answer.status, { 'content-type': type }).end(wireText(answer.body));
    });
  }

  /** The newest entry whose time has come; of two from the same moment the later one in the file. */
  #answerTo(request: string): HttpAnswer | undefined {
    const now = this.#timeline.now();
    return this.#answers
      .filter((entry) => requestName(entry.request) === request && entry.from <= now)
      .reduce<HttpAnswer | undefined>((newest, next) => (newest && newest.from > next.from ? newest : next), undefined);
  }
}

interface Seen {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly body: string;
}

/** `GET /path` without its query, and with spaces whether they came as %20 or not. */
export function requestName(request: string): string {
  const [method = '', path = ''] = request.split(/\s+(.*)/s);
  return `${method.toUpperCase()} ${decoded(path.replace(/\?.*$/s, ''))}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * A request is a command when it goes where a `write` goes and is none of the device's questions: one address may serve
 * both, told apart by query or body alone.
 */
function commandTest(config: DeviceConfig): (seen: Seen) => boolean {
  const prefix = config.http ? new URL(config.http.base).pathname.replace(/\/$/, '') : '';
  const writes = new Set(Object.values(config.fields).map((field) => field.write));
  const named = Object.entries(config.requests);
  const questions = new Set(
    named
      .filter(([name]) => !writes.has(name))
      .flatMap(([name, request]) => {
        const built = compileRequest(name, request, name).build({});
        if (!built.ok) return [];
        const { method, path, body = '' } = built.request;
        return [`${method} ${normal(prefix + path)} ${body}`];
      }),
  );
  const targets = named
    .filter(([name]) => writes.has(name))
    .map(([, { method, path }]) => ({ method, path: pathPattern(prefix + path) }));
  return ({ method, url, body }) => {
    if (questions.has(`${method} ${normal(url)} ${body}`)) return false;
    const path = decoded(url.replace(/\?.*$/s, ''));
    return targets.some((target) => target.method === method && target.path.test(path));
  };
}

function normal(url: string): string {
  const { pathname, search } = new URL(url, 'http://device');
  return decoded(pathname + search);
}

/** A path in which templates may stand for anything. */
function pathPattern(path: string): RegExp {
  const literal = path
    .replace(/\?.*$/s, '')
    .split(/\{\{.*?\}\}|\{%.*?%\}/s)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}
