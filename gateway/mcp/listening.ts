import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AuthInfo,
  type Notification,
  ProtocolError,
  ProtocolErrorCode,
  type ServerCapabilities,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import { EventStream } from '../streams/event-stream.ts';
import type { Caller } from './caller.ts';
import { honoredBy, type ListenFilter, listenFilter, notificationOf, topicOf, topicsOf } from './listen-filter.ts';
import { type McpRequest, type ModernRequest, modernRequest } from './modern-request.ts';
import type { Offer } from './offer.ts';
import { Subscription } from './subscription.ts';
import { detailedTask, hasEnded, type Task, type TaskChange } from './task.ts';
import { missingTasks } from './tasks-extension.ts';
import { Topics } from './topics.ts';
import { wireError } from './wire-error.ts';

/** What listening needs. */
export interface ListeningOptions {
  readonly name: string;
  readonly version: string;
  readonly offer: Offer;
  /** What a server for this caller can tell of. */
  readonly capabilities: (authInfo: AuthInfo | undefined) => Promise<ServerCapabilities>;
  /** Between two signs of life on a stream, in ms. A reader that took nothing in between is dropped. */
  readonly keepAliveMs: number;
  /** Streams that may be open at a time. */
  readonly maxStreams: number;
  /** Tasks and resources that all streams together may follow. */
  readonly maxFollowed: number;
  readonly onError: (error: Error) => void;
}

/** Tasks that are looked up before other requests get their turn. */
const TURN = 256;

/**
 * Serves `subscriptions/listen` (2026-07-28) in the place of the SDK, which knows nothing of tasks there and buffers
 * without bound for a reader that does not read. It stands between what happens and the streams: one listener at each
 * source, and from there only to the streams that follow what it is about.
 */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #tasks = new Topics<TaskChange>();
  readonly #events = new Topics<ServerEvent>();
  readonly #open = new Set<Subscription>();
  /** Requests whose tasks are being looked up, each with its answer. */
  readonly #opening = new Map<ServerResponse, string>();
  #followed = 0;
  #stops: readonly (() => void)[] = [];
  #closed = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#open.size;
  }

  start(): void {
    const { offer, keepAliveMs } = this.#options;
    const beats = setInterval(() => {
      for (const subscription of this.#open) subscription.beat();
    }, keepAliveMs);
    beats.unref();
    const tasks = offer.tasks.subscribe?.((change) => this.#tasks.publish(change.taskId, change));
    const events = offer.events?.subscribe((event) => this.#events.publish(topicOf(event), event));
    this.#stops = [() => clearInterval(beats), () => tasks?.(), () => events?.()];
  }

  /** Ends every stream with its final result; what comes later is refused. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    for (const subscription of this.#open) subscription.end(this.#options);
  }

  /** Breaks off what a principal is about to listen on; whoever let them in breaks off what is open. */
  dismiss(principal: string): void {
    for (const [res, whose] of this.#opening) {
      if (whose === principal) res.destroy();
    }
  }

  /**
   * Serves a request that wants to listen, until its stream has ended.
   * @returns false, and does nothing, where it is another request or one that the SDK has to refuse
   */
  async serve(req: McpRequest, res: ServerResponse, body: unknown): Promise<boolean> {
    const request = modernRequest(req, body, 'subscriptions/listen');
    if (!request) return false;
    try {
      const filter = this.#admit(request);
      this.#opening.set(res, request.caller.principal);
      const honored = await this.#honored(filter, request.caller, req.auth).finally(() => this.#opening.delete(res));
      if (!res.destroyed) await this.#listen(request, res, honored);
    } catch (error) {
      refuse(res, request.id, wireError(error, this.#options.onError));
    }
    return true;
  }

  #admit({ params, caller }: ModernRequest): ListenFilter {
    const parsed = listenFilter.safeParse(params.notifications);
    if (!parsed.success) {
      const what = parsed.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: notifications: ${what}`);
    }
    if (parsed.data.taskIds && !caller.declaresTasks) throw missingTasks();
    if (this.#closed) throw new ProtocolError(ProtocolErrorCode.InternalError, 'The gateway is stopping');
    return parsed.data;
  }

  /** What will be told: no task that the caller does not know, nor anything that this gateway never tells. */
  async #honored(filter: ListenFilter, caller: Caller, authInfo: AuthInfo | undefined): Promise<ListenFilter> {
    const { offer, capabilities } = this.#options;
    const honored = honoredBy(filter, await capabilities(authInfo));
    const taskIds: string[] = [];
    let lookedUp = 0;
    for (const taskId of offer.tasks.subscribe ? new Set(filter.taskIds) : []) {
      if (await offer.tasks.get(taskId, caller)) taskIds.push(taskId);
      lookedUp += 1;
      if (lookedUp % TURN === 0) await nextTurn();
    }
    return taskIds.length > 0 ? { ...honored, taskIds } : honored;
  }

  /** Resolves when the stream has ended. */
  #listen({ id, caller }: ModernRequest, res: ServerResponse, honored: ListenFilter): Promise<void> {
    const { maxStreams, maxFollowed } = this.#options;
    const { taskIds = [] } = honored;
    const topics = topicsOf(honored);
    if (this.#open.size >= maxStreams) throw limitReached(`${maxStreams} streams are open`);
    if (this.#followed + taskIds.length + topics.length > maxFollowed) {
      throw limitReached(`${maxFollowed} tasks and resources are followed`);
    }
    const subscription = new Subscription(id, new EventStream(res), this.#options.onError);
    const following = new Set(taskIds);
    const leave = (taskId: string) => {
      if (!following.delete(taskId)) return;
      this.#tasks.leave(taskId, onTask);
      this.#followed -= 1;
    };
    const worded = (taskId: string, task: Task | undefined): Notification | undefined => {
      // The state in which a task ends is its last word, whether it is told now or was reached long ago.
      if (!task || hasEnded(task)) leave(taskId);
      return task && { method: 'notifications/tasks', params: detailedTask(task) };
    };
    const onTask = (change: TaskChange) =>
      subscription.tell(`task ${change.taskId}`, () => worded(change.taskId, change.as(caller)));
    const onEvent = (event: ServerEvent) => subscription.tell(topicOf(event), () => notificationOf(event));

    for (const taskId of taskIds) this.#tasks.follow(taskId, onTask);
    for (const topic of topics) this.#events.follow(topic, onEvent);
    this.#followed += taskIds.length + topics.length;
    this.#open.add(subscription);
    return new Promise((resolve) => {
      subscription.open(honored, () => {
        this.#open.delete(subscription);
        for (const taskId of following) leave(taskId);
        for (const topic of topics) this.#events.leave(topic, onEvent);
        this.#followed -= topics.length;
        resolve();
      });
      // Followed first, looked at then: what happened since the tasks were made is in what they are now.
      for (const taskId of taskIds) {
        subscription.tell(`task ${taskId}`, async () =>
          worded(taskId, await this.#options.offer.tasks.get(taskId, caller)),
        );
      }
      if (this.#closed || Object.keys(honored).length === 0) subscription.end(this.#options);
    });
  }
}

function limitReached(what: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, `Subscription limit reached: ${what}`);
}

/** Refusals come in the body of an answer that went well, but for a capability that is missing: so the protocol has it. */
function refuse(res: ServerResponse, id: ModernRequest['id'], { code, message, data }: ProtocolError): void {
  const status = code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
  const error = { code, message, ...(data !== undefined && { data }) };
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ jsonrpc: '2.0', error, id }));
}
