import { randomUUID } from 'node:crypto';
import { messageOf } from '../domain/errors.ts';
import type { Collection } from '../domain/store.ts';
import { Turns } from '../domain/turns.ts';
import type { AskWithin, ClientInfo, FormAnswer } from './connection.ts';
import { deliver, type WishRecord } from './delivery.ts';
import { OtherCaller } from './failure.ts';
import type { Endpoint } from './gateway-link.ts';
import { type Question, type QuestionEvent, Questions } from './questions.ts';
import { Server } from './server.ts';
import type { TaskState } from './task-state.ts';
import { type Ending, endingOfTask, laneOf, type Target, type Wish } from './wish.ts';

/** What a client is made from. */
export interface TaskClientOptions {
  /** Where it keeps what it may not forget. It is this client's alone while it runs. */
  readonly wishes: Collection<Wish>;
  /** Finds a server by the name that its wishes have for it. @throws NoServer where it is not to be found just now */
  readonly locate: (server: string) => Promise<Endpoint>;
  readonly info: ClientInfo;
  /** Whether an earlier wish for the same device, of another client on this machine, still has to go first. */
  readonly mustWait?: (wish: Wish) => Promise<boolean>;
}

/** What a client tells. */
export type ClientEvent =
  /** A wish's record is on disk in a new state. */
  | { readonly type: 'wish'; readonly wish: Wish }
  /** How its task stands, as the server says; the same perhaps more than once. */
  | { readonly type: 'task'; readonly wish: Wish; readonly task: TaskState }
  /** It is not delivered yet, and why. */
  | { readonly type: 'delayed'; readonly wish: Wish; readonly why: string }
  /** Something went wrong that changes nothing for any wish. */
  | { readonly type: 'notice'; readonly message: string }
  | QuestionEvent;

/** What is wished of whom. */
export interface Order {
  readonly server: string;
  readonly target: Target;
  /** For how long it may be delivered, in ms. */
  readonly withinMs: number;
}

/** A wish that is being carried out. */
interface Live {
  wish: Wish;
  /** Somebody here wants it cancelled; it is, as soon as that can be asked for. */
  cancelled: boolean;
  readonly done: Promise<Wish>;
  readonly resolve: (wish: Wish) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A client that does not forget. What is wished is on disk before it is sent, what the server made of it before anybody
 * hears of it, and how it ended before the wait for it is over. A client that comes after one that was killed takes up
 * every wish where it stands, and the server is never told the same wish twice.
 */
export class TaskClient {
  readonly #options: TaskClientOptions;
  readonly #live = new Map<string, Live>();
  readonly #byTask = new Map<string, Live>();
  readonly #servers = new Map<string, Server>();
  readonly #listeners = new Set<(event: ClientEvent) => void>();
  readonly #lanes = new Turns();
  readonly #records = new Turns();
  readonly #questions = new Questions((event) => this.#emit(event));
  readonly #stopped = new AbortController();

  constructor(options: TaskClientOptions) {
    this.#options = options;
  }

  /** Hears everything that happens. @returns a function that ends it */
  subscribe(listener: (event: ClientEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every wish that is kept, oldest first. */
  wishes(): readonly Wish[] {
    return [...this.#options.wishes.values()];
  }

  /** The questions that wait for a person, oldest first. */
  questions(): readonly Question[] {
    return this.#questions.list();
  }

  /**
   * Takes a wish, and begins to carry it out. It is on disk when this resolves.
   * @throws StoreError where it could not be kept; then nothing is sent
   */
  async call({ server, target, withinMs }: Order): Promise<Wish> {
    const wish: Wish = {
      id: randomUUID(),
      server,
      target,
      madeAt: Date.now(),
      withinMs,
      stage: 'wished',
      keyed: false,
      task: null,
      answered: [],
      outcome: null,
      text: '',
      endedAt: null,
    };
    await this.#options.wishes.put(wish.id, wish);
    this.#emit({ type: 'wish', wish });
    this.#carryOut([wish]);
    return wish;
  }

  /** Takes up wishes that have not ended, of which an earlier client left records. */
  resume(wishes: readonly Wish[]): void {
    const open = wishes.filter(({ id, outcome }) => outcome === null && !this.#live.has(id));
    this.#carryOut(open.toSorted((a, b) => a.madeAt - b.madeAt));
  }

  /**
   * Waits for the end of a wish, which is on disk then.
   * @throws StoreError where something of it could not be kept: it goes on at the server, and can be taken up later;
   *   OtherCaller where it was sent with the token of somebody else
   */
  async ended(id: string): Promise<Wish | undefined> {
    return this.#live.get(id)?.done ?? this.#options.wishes.get(id);
  }

  /**
   * Answers a question.
   * @returns false where it is not asked (any more)
   * @throws what kept the answer from the server; the question waits on
   */
  answer(wishId: string, key: string, answer: FormAnswer): Promise<boolean> {
    return this.#questions.answer(wishId, key, answer);
  }

  /** Asks for a wish to be given up; it ends when its server has said so, or at once where nothing was sent. */
  async cancel(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (!live) return;
    live.cancelled = true;
    const { task, server } = live.wish;
    if (task) await (await this.#server(server).connect()).cancel(task.taskId);
    else await this.#end(live, NOTHING_SENT, ({ stage }) => stage === 'wished');
  }

  /** Lets go of all servers. What has not ended stays on disk, and goes on at the servers. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #carryOut(wishes: readonly Wish[]): void {
    for (const wish of wishes) {
      const { promise: done, resolve, reject } = withResolvers<Wish>();
      // Whoever waits for it hears of a failure; it is no fault where nobody does.
      done.catch(() => {});
      const live: Live = { wish, cancelled: false, done, resolve, reject };
      this.#live.set(wish.id, live);
      const lane = laneOf(wish);
      const delivered = lane === null ? this.#deliver(live) : this.#lanes.take(lane, () => this.#deliver(live));
      delivered.catch(reject);
    }
  }

  /** Resolves when the server has the wish, or it has ended. */
  async #deliver(live: Live): Promise<void> {
    if (live.wish.outcome || this.#stopped.signal.aborted) return;
    if (live.wish.stage === 'following') return this.#follow(live);
    const record: WishRecord = {
      get wish() {
        return live.wish;
      },
      change: (change) => this.#change(live, change),
    };
    const ending = await deliver({
      record,
      server: this.#server(live.wish.server),
      mustWait: this.#options.mustWait ?? (async () => false),
      onDelay: (why) => this.#emit({ type: 'delayed', wish: live.wish, why }),
      signal: this.#stopped.signal,
    });
    if (ending) await this.#end(live, ending);
    else await this.#follow(live);
  }

  async #follow(live: Live): Promise<void> {
    const { task, server: name, outcome } = live.wish;
    if (!task || outcome) return;
    const server = this.#server(name);
    this.#byTask.set(taskKey(name, task.taskId), live);
    server.follow(task.taskId);
    if (live.cancelled) await (await server.connect()).cancel(task.taskId);
  }

  #server(name: string): Server {
    const known = this.#servers.get(name);
    if (known) return known;
    const { locate, info } = this.#options;
    const find = (taskId: string) => this.#byTask.get(taskKey(name, taskId));
    const server = new Server({
      locate: () => locate(name),
      info,
      ask: (form, taskId, signal) => this.#askWithin(name, form, taskId, signal),
      onError: (error) => this.#emit({ type: 'notice', message: messageOf(error) }),
      follower: {
        onTask: (task) => {
          const live = find(task.taskId);
          try {
            this.#onTask(live, task);
          } catch (error) {
            // It is followed no more when it has ended: whoever waits must not wait for ever.
            live?.reject(error);
          }
        },
        onForgotten: (taskId, caller) => {
          const live = find(taskId);
          if (!live) return;
          const { sentAs = caller } = live.wish;
          if (sentAs === caller) this.#settle(live, FORGOTTEN);
          else live.reject(new OtherCaller(sentAs, caller));
        },
      },
    });
    this.#servers.set(name, server);
    return server;
  }

  #onTask(live: Live | undefined, task: TaskState): void {
    if (!live || live.wish.outcome) return;
    this.#emit({ type: 'task', wish: live.wish, task });
    const { id, answered, server } = live.wish;
    const asked = Object.entries(task.questions).filter(([key]) => !answered.includes(key));
    // A task of 2025-11-25 does not name its questions: they come over a request, and stand while it waits.
    if (live.wish.task?.modern || task.status !== 'input_required') {
      this.#questions.keepOnly(id, new Set(asked.map(([key]) => key)));
    }
    for (const [key, form] of asked) {
      this.#questions.put({ wishId: id, key, form }, async (answer) => {
        await (await this.#server(server).connect()).answer(task.taskId, { [key]: answer });
        await this.#change(live, { answered: [...live.wish.answered, key] });
      });
    }
    const ending = endingOfTask(task);
    if (ending) this.#settle(live, ending);
  }

  /** A question that is answered within a request: by a call, or for a task of 2025-11-25. */
  async #askWithin(server: string, ...[form, taskId, signal]: Parameters<AskWithin>): Promise<FormAnswer> {
    const live = taskId === null ? this.#callingAt(server) : this.#byTask.get(taskKey(server, taskId));
    if (!live) return { action: 'cancel' };
    const { promise, resolve } = withResolvers<FormAnswer>();
    const key = randomUUID();
    const withdraw = () => {
      this.#questions.keepOnly(live.wish.id, new Set());
      resolve({ action: 'cancel' });
    };
    signal?.addEventListener('abort', withdraw, { once: true });
    this.#questions.put({ wishId: live.wish.id, key, form }, async (answer) => resolve(answer));
    return promise.finally(() => signal?.removeEventListener('abort', withdraw));
  }

  /** The call that a question without a task belongs to: the latest, should several be under way. */
  #callingAt(server: string): Live | undefined {
    return [...this.#live.values()].findLast(({ wish }) => wish.server === server && wish.stage === 'calling');
  }

  /** Changes a record, one change after the other; one that has ended stays as it is. @returns whether it was changed */
  #change(live: Live, change: Partial<Wish>, where: (wish: Wish) => boolean = () => true): Promise<boolean> {
    return this.#records.take(live.wish.id, async () => {
      if (live.wish.outcome || !where(live.wish)) return false;
      const wish = { ...live.wish, ...change };
      await this.#options.wishes.put(wish.id, wish);
      live.wish = wish;
      this.#emit({ type: 'wish', wish });
      return true;
    });
  }

  #settle(live: Live, ending: Ending): void {
    this.#end(live, ending).catch(live.reject);
  }

  async #end(live: Live, { outcome, text, result }: Ending, where?: (wish: Wish) => boolean): Promise<void> {
    const { id, task, server } = live.wish;
    const told = result === undefined ? {} : { result };
    const change = { stage: 'ended', outcome, text, endedAt: Date.now(), ...told } as const;
    if (!(await this.#change(live, change, where))) return;
    this.#questions.keepOnly(id, new Set());
    this.#live.delete(id);
    if (task) this.#byTask.delete(taskKey(server, task.taskId));
    live.resolve(live.wish);
  }

  #emit(event: ClientEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const NOTHING_SENT: Ending = {
  outcome: { type: 'cancelled' },
  text: 'cancelled before it was delivered: nothing was sent',
};
const FORGOTTEN: Ending = {
  outcome: { type: 'forgotten' },
  text: 'the server took it, and does not know of it any more: look at the state',
};

const taskKey = (server: string, taskId: string) => `${server}\n${taskId}`;

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
