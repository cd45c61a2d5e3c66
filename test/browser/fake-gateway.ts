import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  CommandStoryWire,
  CommandsWire,
  CommandWire,
  DeviceWire,
  DiscoveryWire,
  EventWire,
  HomeWire,
  MomentWire,
  SimulatorWire,
} from '../../gateway/dashboard/wire.ts';
import { listen } from '../../gateway/http/listen.ts';

/** Where the built page lies. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../dist/page/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const POLICY = "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'";

/** What the page is told; a test changes it as it likes. */
export interface FakeHouse {
  home: HomeWire;
  devices: readonly DeviceWire[];
  commands: readonly CommandWire[];
  moments: readonly MomentWire[];
  simulator: SimulatorWire | null;
  leftOut: DiscoveryWire['left_out'];
}

/** Answers one request of the page in a test's place; undefined leaves it to the house. */
export type Answer = (method: string, path: string, body: unknown) => { status: number; body: unknown } | undefined;

/**
 * Speaks the page's wire out of memory, for states that are hard to reach otherwise: sixty devices, a thousand commands, an
 * answer that comes late. What a gateway really does is tested with a real one.
 */
export class FakeGateway {
  readonly house: FakeHouse;
  /** Every request that changes something, as `POST /api/commands`, with its body. */
  readonly requests: { readonly line: string; readonly body: unknown }[] = [];
  readonly #answer: Answer;
  readonly #streams = new Set<ServerResponse>();
  #close: () => Promise<void> = async () => {};

  constructor(house: FakeHouse, answer: Answer = () => undefined) {
    this.house = house;
    this.#answer = answer;
  }

  /** @returns where it listens */
  async start(): Promise<string> {
    const handle = (req: IncomingMessage, res: ServerResponse) => void this.#serve(req, res);
    const listener = await listen(handle, { host: '127.0.0.1', port: 0 });
    this.#close = listener.close;
    return listener.url;
  }

  /** Tells every open page. */
  push(event: EventWire): void {
    for (const stream of this.#streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = 'GET' } = req;
    const url = new URL(req.url ?? '/', 'http://page');
    res.setHeader('content-security-policy', POLICY);
    if (url.pathname === '/api/events') return this.#stream(res);
    if (!url.pathname.startsWith('/api/')) return serveFile(res, url.pathname);
    const body = method === 'POST' ? await bodyOf(req) : undefined;
    if (method !== 'GET') this.requests.push({ line: `${method} ${url.pathname}`, body });
    const own = this.#answer(method, url.pathname, body) ?? this.#fromHouse(url);
    res.writeHead(own ? own.status : 404, { 'content-type': 'application/json' });
    res.end(JSON.stringify(own ? own.body : { ok: false, error: 'not_found', message: 'Nothing here' }));
  }

  #fromHouse(url: URL): { status: number; body: unknown } | undefined {
    const { home, simulator } = this.house;
    const [, , part, id] = url.pathname.split('/');
    switch (part) {
      case 'session':
        return ok({
          signed_in: true,
          name: home.me.name,
          scopes: home.me.can,
          needs_token: false,
          can_make_tokens: true,
        });
      case 'home':
        return ok(home);
      case 'commands':
        return id ? this.#story(id) : ok(this.#page(url.searchParams));
      case 'discovery':
        return ok({ left_out: this.house.leftOut });
      case 'simulator':
        return simulator ? ok(simulator) : undefined;
      default:
        return undefined;
    }
  }

  #story(id: string): { status: number; body: CommandStoryWire } | undefined {
    const command = this.house.commands.find((each) => each.id === id);
    return command && ok({ now: new Date().toISOString(), command, moments: this.house.moments });
  }

  #page(query: URLSearchParams): CommandsWire {
    const passes = (name: 'device' | 'verdict' | 'principal') => (command: CommandWire) =>
      !query.has(name) || command[name] === query.get(name);
    const all = this.house.commands.filter(passes('device')).filter(passes('verdict')).filter(passes('principal'));
    const from = query.has('before') ? all.findIndex(({ id }) => id === query.get('before')) + 1 : 0;
    const commands = all.slice(from, from + Number(query.get('limit')));
    const isLast = from + commands.length >= all.length;
    return { now: new Date().toISOString(), commands, next: isLast ? null : (commands.at(-1)?.id ?? null) };
  }

  #stream(res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.add(res);
    res.on('close', () => this.#streams.delete(res));
    const { devices, commands } = this.house;
    const snapshot: EventWire = {
      type: 'snapshot',
      now: new Date().toISOString(),
      devices,
      commands: commands.slice(0, 100),
    };
    res.write(`data: ${JSON.stringify(snapshot)}\n\n`);
  }
}

function ok<Body>(body: Body): { status: number; body: Body } {
  return { status: 200, body };
}

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  const text = (await req.setEncoding('utf8').toArray()).join('');
  return text === '' ? undefined : JSON.parse(text);
}

function serveFile(res: ServerResponse, path: string): void {
  const name = path === '/' ? 'index.html' : path;
  try {
    const content = readFileSync(join(PAGE_FOLDER, name));
    res.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream' });
    res.end(content);
  } catch {
    res.writeHead(404).end();
  }
}
