import { BackOff } from './back-off.ts';
import type { ClientInfo, Connection } from './connection.ts';
import { isUnknownTask } from './failure.ts';
import { Polling } from './polling.ts';
import { StreamWatch } from './stream-watch.ts';
import { hasEnded, type TaskState } from './task-state.ts';
import { NoStream, openTaskStream, StreamRefused } from './task-stream.ts';

/** Who hears of tasks. */
export interface Follower {
  /** A state of a task; the same one perhaps more than once. */
  onTask(task: TaskState): void;
  /** The server does not know the task (any more); `caller`: as whom it was asked. */
  onForgotten(taskId: string, caller: string): void;
}

/** What following needs. */
export interface FollowingOptions {
  /** Gives the connection of now, or makes one. */
  readonly connect: () => Promise<Connection>;
  /** A connection has failed: the next call of `connect` makes a new one. */
  readonly failed: (connection: Connection) => void;
  readonly info: ClientInfo;
  readonly follower: Follower;
  /** How long a stream may be without a byte, in ms; 45 s unless it says otherwise. */
  readonly silentMs?: number;
}

/** How a task is followed: by the stream, or by asking after it as often as its server allows. */
interface Followed {
  polled: boolean;
  intervalMs: number;
}

/** A task of which nothing has been heard yet is asked after this often, in ms. */
const UNHEARD_MS = 1_000;

/** Three times what servers usually let pass, this project's gateway too, before they say that they are there. */
const SILENT_MS = 45_000;

/**
 * New tasks are waited for this long, in ms, before a stream is opened that has them all; and longer the more there are,
 * because each stream begins with the state of every one.
 */
const GATHER_MS = 20;
const GATHER_PER_TASK_MS = 0.2;

/** A stream that lasted for this long, in ms, was a good one: what ends it then is a first failure. */
const LASTING_MS = 5_000;

/**
 * Follows all tasks of one server of the Tasks extension over one stream. It is opened again after any break, and when
 * tasks have come. A stream begins with the state of each of its tasks, or else they are asked after once, so that nothing
 * that happened in between is missed. A stream that went silent is given up where its server is known to say now and then
 * that it is there; elsewhere its tasks are asked after now and then. Tasks of which the server does not tell by itself are asked after, each at the
 * interval that the server gives.
 */
export class Following {
  readonly #options: FollowingOptions;
  readonly #stopped = new AbortController();
  readonly #tasks = new Map<string, Followed>();
  readonly #polling = new Polling((taskId) => this.#ask(taskId));
  /** Ends the stream of now, and the tasks that it was opened for. */
  #stream: { readonly abort: AbortController; taskIds: ReadonlySet<string> } | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** Follows a task until it ends. */
  add(taskId: string): void {
    if (this.#tasks.has(taskId)) return;
    this.#tasks.set(taskId, { polled: false, intervalMs: UNHEARD_MS });
    this.#gather();
  }

  stop(): void {
    this.#stopped.abort();
    this.#stream?.abort.abort();
    this.#polling.stop();
    clearTimeout(this.#gathering);
  }

  /** Opens a stream that has the new tasks too, soon. */
  #gather(): void {
    if (this.#stopped.signal.aborted) return;
    this.#gathering ??= setTimeout(
      () => {
        this.#gathering = undefined;
        const stream = this.#stream;
        if (!stream) void this.#run();
        else if (this.#streamable().some((taskId) => !stream.taskIds.has(taskId))) stream.abort.abort();
      },
      GATHER_MS + GATHER_PER_TASK_MS * this.#tasks.size,
    );
  }

  #streamable(): string[] {
    return [...this.#tasks].filter(([, { polled }]) => !polled).map(([taskId]) => taskId);
  }

  /** One stream after the other, for as long as there is anything to follow by one. */
  async #run(): Promise<void> {
    const backOff = new BackOff();
    const { signal } = this.#stopped;
    while (!signal.aborted && this.#streamable().length > 0) {
      const abort = new AbortController();
      this.#stream = { abort, taskIds: new Set() };
      const lastedMs = await this.#streamOnce(abort.signal);
      if (lastedMs > LASTING_MS) backOff.reset();
      // One that was ended from here makes room for the next.
      if (!abort.signal.aborted && this.#streamable().length > 0) await backOff.wait(signal);
    }
    this.#stream = undefined;
  }

  /** Follows over one stream until that ends, for whatever reason. @returns for how long it lasted, in ms */
  async #streamOnce(signal: AbortSignal): Promise<number> {
    const { connect, failed, info, silentMs = SILENT_MS } = this.#options;
    const beganAt = performance.now();
    const connection = await connect().catch(() => undefined);
    if (!connection) return 0;
    if (!connection.modern) {
      this.#poll(this.#streamable());
      return 0;
    }
    const taskIds = this.#streamable();
    const untold = new Set(taskIds);
    const dead = new AbortController();
    const watch = new StreamWatch({
      silentMs,
      onQuiet: () => this.#askOnce(untold),
      onSilent: (isDead) => {
        if (isDead) dead.abort();
        this.#askOnce(taskIds);
      },
    });
    if (this.#stream) this.#stream.taskIds = new Set(taskIds);
    watch.start();
    try {
      for await (const event of openTaskStream({
        endpoint: connection.endpoint,
        info,
        taskIds,
        onPing: () => watch.pinged(),
        signal: AbortSignal.any([signal, dead.signal]),
      })) {
        watch.heard();
        if (event.type === 'task') {
          untold.delete(event.task.taskId);
          this.#heard(event.task);
          if (this.#tasks.size === 0) break;
        } else this.#poll(without(taskIds, event.taskIds));
      }
    } catch (error) {
      if (error instanceof NoStream) this.#poll(taskIds);
      else if (!signal.aborted) {
        failed(connection);
        if (error instanceof StreamRefused) this.#askOnce(taskIds);
      }
    } finally {
      watch.stop();
    }
    return performance.now() - beganAt;
  }

  /** The server does not tell of these by itself. */
  #poll(taskIds: readonly string[]): void {
    for (const taskId of taskIds) {
      const followed = this.#tasks.get(taskId);
      if (!followed) continue;
      followed.polled = true;
      this.#polling.add(taskId);
    }
  }

  #askOnce(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) if (this.#tasks.has(taskId)) this.#polling.add(taskId);
  }

  async #ask(taskId: string): Promise<number | null> {
    const connection = await this.#options.connect().catch(() => undefined);
    try {
      const task = await connection?.look(taskId, this.#stopped.signal);
      if (task) this.#heard(task);
    } catch (error) {
      if (connection && isUnknownTask(error)) {
        this.#tasks.delete(taskId);
        this.#options.follower.onForgotten(taskId, connection.caller);
      } else if (connection && !this.#stopped.signal.aborted) this.#options.failed(connection);
    }
    const followed = this.#tasks.get(taskId);
    return followed?.polled ? followed.intervalMs : null;
  }

  #heard(task: TaskState): void {
    const followed = this.#tasks.get(task.taskId);
    if (!followed) return;
    followed.intervalMs = task.pollIntervalMs;
    if (hasEnded(task)) {
      this.#tasks.delete(task.taskId);
      this.#polling.remove(task.taskId);
    }
    this.#options.follower.onTask(task);
  }
}

function without(taskIds: readonly string[], taken: readonly string[]): string[] {
  const rest = new Set(taskIds);
  for (const taskId of taken) rest.delete(taskId);
  return [...rest];
}
