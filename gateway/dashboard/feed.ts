import type { ServerResponse } from 'node:http';
import type { Commands } from '../actuation/commands.ts';
import { UserError } from '../domain/errors.ts';
import type { PastTask } from '../domain/history.ts';
import { type Clock, iso } from '../domain/time.ts';
import { EventStream } from '../streams/event-stream.ts';
import { Pace } from '../streams/pace.ts';
import { CommandList } from './command-list.ts';
import { CommandView } from './command-view.ts';
import { DeviceNews } from './device-news.ts';
import { PageStream } from './page-stream.ts';
import { type Reader, sees } from './reader.ts';
import type { EventWire } from './wire.ts';

/** What the feed of open pages needs. */
export interface FeedOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  /** Between two signs of life, in ms; 10,000 by default. A page that took nothing in between is dropped. */
  readonly beatMs?: number;
  /** Pages that may be open at a time; 64 by default. */
  readonly maxPages?: number;
  readonly onError: (error: Error) => void;
}

/** The shortest time between two messages about one device, or one command, in ms. */
const EVERY_MS = 250;

/** Well within the 15 s after which a page calls itself stale. */
const BEAT_MS = 10_000;
const MAX_PAGES = 64;

/**
 * Tells open pages what changes in the home: one listener at each source, and from there to the pages whose readers may be
 * told. It begins with everything as it is, so that a page which was away has missed nothing that still holds.
 */
export class Feed {
  readonly #options: FeedOptions;
  readonly #view: CommandView;
  readonly #list: CommandList;
  readonly #devices: DeviceNews;
  readonly #pages = new Map<PageStream, Reader>();
  /** The latest state of each command that is about to be told. */
  readonly #latest = new Map<string, PastTask>();
  #stops: readonly (() => void)[] = [];
  #closed = false;

  constructor(options: FeedOptions) {
    const { commands, clock } = options;
    this.#options = options;
    this.#view = new CommandView(commands, clock);
    this.#list = new CommandList(commands, this.#view);
    this.#devices = new DeviceNews(commands, clock);
  }

  /** Pages that are open. */
  get size(): number {
    return this.#pages.size;
  }

  start(): void {
    const { commands, beatMs = BEAT_MS } = this.#options;
    const devices = new Pace(EVERY_MS, (id) => this.#tellDevice(id));
    const tasks = new Pace(EVERY_MS, (id) => this.#tellCommand(id));
    const changed = (told: PastTask) => {
      if (this.#pages.size === 0) return;
      this.#latest.set(told.actuation.taskId, told);
      tasks.news(told.actuation.taskId);
    };
    const beats = setInterval(() => this.#beat(), beatMs);
    beats.unref();
    this.#stops = [
      // A drift is told by itself: a command that changes has none yet.
      commands.subscribe((actuation) => changed({ actuation, aftermath: [] })),
      commands.onDrift(({ taskId }) => void this.#afterDrift(taskId, changed)),
      commands.onDevice(({ deviceId }) => {
        if (this.#pages.size > 0) devices.news(deviceId);
      }),
      () => clearInterval(beats),
      () => devices.stop(),
      () => tasks.stop(),
    ];
  }

  /** Ends every stream; its page comes back when the gateway does. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    for (const page of this.#pages.keys()) page.end();
  }

  /**
   * Serves one page, until it goes.
   * @throws UserError `too_many_pages`, `shutting_down`
   */
  async serve(reader: Reader, res: ServerResponse): Promise<void> {
    const { maxPages = MAX_PAGES, onError } = this.#options;
    if (this.#closed) throw new UserError('shutting_down', 'The gateway is stopping; ask again once it is back.');
    if (this.#pages.size >= maxPages) {
      throw new UserError('too_many_pages', `${maxPages} pages are open already; close one of them.`);
    }
    const page = new PageStream(new EventStream(res));
    this.#pages.set(page, reader);
    page.open(() => {
      this.#pages.delete(page);
      if (this.#pages.size === 0) this.#devices.forget();
    });
    try {
      // Listened to first, looked at then: what happens meanwhile waits behind the snapshot.
      const commands = await this.#list.present(reader);
      page.begin(() => JSON.stringify(this.#snapshot(reader, commands)));
      this.#lookAgain();
    } catch (error) {
      // The answer has begun: its page comes back rather than going on without a beginning.
      onError(error instanceof Error ? error : new Error(String(error)));
      page.drop();
    }
  }

  #snapshot(reader: Reader, commands: Extract<EventWire, { type: 'snapshot' }>['commands']): EventWire {
    const devices = seesDevices(reader) ? this.#devices.all() : [];
    return { type: 'snapshot', now: this.#now(), devices, commands };
  }

  #tellDevice(id: string): void {
    const wording = this.#devices.wording(id);
    for (const [page, reader] of this.#pages) {
      if (seesDevices(reader)) page.tell(`device ${id}`, wording);
    }
  }

  #tellCommand(id: string): void {
    const told = this.#latest.get(id);
    this.#latest.delete(id);
    if (!told) return;
    for (const [page, reader] of this.#pages) {
      if (sees(reader, told.actuation)) page.tell(`command ${id}`, () => this.#commandEvent(told, reader));
    }
  }

  #commandEvent(told: PastTask, reader: Reader): string {
    const event: EventWire = { type: 'command', now: this.#now(), command: this.#view.past(told, reader) };
    return JSON.stringify(event);
  }

  async #afterDrift(taskId: string, changed: (told: PastTask) => void): Promise<void> {
    const { commands, onError } = this.#options;
    try {
      const actuation = await commands.get(taskId, null);
      if (actuation) changed({ actuation, aftermath: await commands.aftermath(taskId, null) });
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #beat(): void {
    if (this.#pages.size === 0) return;
    const tick: EventWire = { type: 'tick', now: this.#now() };
    for (const page of this.#pages.keys()) page.beat(() => JSON.stringify(tick));
    this.#tellAges();
    this.#lookAgain();
  }

  #tellAges(): void {
    for (const id of this.#devices.repeated()) this.#tellDevice(id);
  }

  #lookAgain(): void {
    const { onError } = this.#options;
    this.#devices.lookAgain().then(() => this.#tellAges(), onError);
  }

  #now(): string {
    return iso(this.#options.clock.now());
  }
}

function seesDevices({ can }: Reader): boolean {
  return can.includes('read');
}
