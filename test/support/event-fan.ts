import type { ServerResponse } from 'node:http';
import { parseDevice } from '../../gateway/config/load.ts';
import { compileHttpPlan } from '../../gateway/devices/http-plan.ts';
import { decodePayload } from '../../gateway/devices/payload.ts';
import { ScriptedHttp } from './scripted-http.ts';

/**
 * Has a device's events looked at until that goes quickly: the first rendering of a process is broken off on a machine that
 * is very busy, and the event that it was for is lost.
 */
export function warmUp(written: Record<string, unknown>, event: unknown): void {
  const [stream] = compileHttpPlan('fan', parseDevice(written, 'fan')).streams;
  const { payload } = decodePayload('json', JSON.stringify(event));
  for (let time = 0; time < 50 && stream?.matches(payload) === undefined; time += 1);
}

/** A fan behind ESPHome's web server, as its profile knows it: it acts when its test says so. */
export class EventFan {
  readonly http = new ScriptedHttp();
  readonly #streams = new Set<ServerResponse>();
  readonly #waiting: (() => void)[] = [];
  state: 'ON' | 'OFF' = 'OFF';
  level = 1;
  /** Whether a stream begins with how it stands. */
  dumps = true;
  /** How many streams were opened so far. */
  opened = 0;

  async start(): Promise<this> {
    this.http
      .on('GET /events', (_seen, response) => this.#open(response))
      .on('GET /fan/Porch%20Fan', (_seen, response) => void response.end(JSON.stringify(this.#json())))
      .answer('POST /fan/Porch%20Fan/turn_on', '')
      .answer('POST /fan/Porch%20Fan/turn_off', '');
    await this.http.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.http.stop();
  }

  /** How often it was asked how it stands. */
  get reads(): number {
    return this.http.seen.filter(({ method, path }) => method === 'GET' && path.startsWith('/fan/')).length;
  }

  get commands(): number {
    return this.http.seen.filter(({ method }) => method === 'POST').length;
  }

  /** Its state changes, and those who listen hear of it. */
  act(state: 'ON' | 'OFF', level = this.level): void {
    this.state = state;
    this.level = level;
    this.say(this.#event());
  }

  say(text: string): void {
    for (const stream of this.#streams) stream.write(text);
  }

  /** Breaks every stream. */
  cut(): void {
    for (const stream of this.#streams) stream.socket?.destroy();
  }

  /** Resolves when so many streams have been opened. */
  async streams(count: number): Promise<void> {
    while (this.opened < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #open(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 30000\nid: 1\nevent: ping\ndata: {"title":"porch","ota":true}\n\n');
    response.write('id: 2\nevent: state\ndata: {"id":"sensor-heap","state":"NA","value":"NaN"}\n\n');
    if (this.dumps) response.write(this.#event());
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    this.opened += 1;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  #event(): string {
    return `id: 3\nevent: state\ndata: ${JSON.stringify(this.#json())}\n\n`;
  }

  #json() {
    return { id: 'fan-porch_fan', name_id: 'fan/Porch Fan', state: this.state, speed_level: this.level };
  }
}
