import { randomBytes } from 'node:crypto';
import type { Actuation } from '../domain/actuation.ts';
import type { Device, DeviceChange, DeviceDirectory, DeviceSpec } from '../domain/device.ts';
import type { Aftermath, Drifted } from '../domain/drift.ts';
import { messageOf, UserError } from '../domain/errors.ts';
import type { Habit } from '../domain/habit.ts';
import type { History, PastTask } from '../domain/history.ts';
import type { Log } from '../domain/log.ts';
import { type Order, open } from '../domain/open.ts';
import type { Collection, TaskStore } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';
import { Turns } from '../domain/turns.ts';
import type { Value } from '../domain/value.ts';
import { Audience } from './audience.ts';
import type { Answer, CommandQuery, Commands, DeviceNews, DeviceView, Wish } from './commands.ts';
import { Habits } from './habits.ts';
import { Lane, wentAway } from './lane.ts';
import { LiveTask, type TaskHost } from './live-task.ts';
import { isOffline, planNew, refresh } from './look.ts';
import { Past } from './past.ts';
import { claims, openRecords } from './recovery.ts';
import { digestOf, keyedTaskId, requireSameWish } from './wish-key.ts';

/** How long `look` waits for devices that have to be asked, in ms. */
const LOOK_MS = 3_000;

export interface EngineOptions {
  readonly devices: DeviceDirectory;
  readonly store: TaskStore;
  readonly habits: Collection<Habit>;
  readonly aftermaths: Collection<Aftermath>;
  /** Where settled commands go that leave the store. */
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
  /** Lifetime of a command, in ms; read for each, for it may change. */
  readonly ttlMs: number;
  /** Lifetime of a question to a person, in ms; it may change too. */
  readonly approvalTtlMs: number;
}

/** All commands and all devices of one gateway. */
export class Engine implements Commands, TaskHost {
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly #options: EngineOptions;
  readonly #log: Log;
  readonly #lanes = new Map<string, Lane>();
  readonly #habits: Habits;
  readonly #past: Past;
  readonly #live = new Map<string, LiveTask>();
  readonly #heard: Audience<Actuation>;
  readonly #heardOfDrift: Audience<Drifted>;
  readonly #heardOfDevices: Audience<DeviceNews>;
  readonly #repeatable = new Turns();
  #specs: readonly DeviceSpec[] = [];
  #unsubscribe: () => void = () => {};
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.store = options.store;
    this.clock = options.clock;
    this.#log = options.log;
    this.#heard = new Audience(options.log);
    this.#heardOfDrift = new Audience(options.log);
    this.#heardOfDevices = new Audience(options.log);
    this.#habits = new Habits(options.habits, options.log);
    this.#past = new Past(options.store, options.history, (taskId) => options.aftermaths.get(taskId)?.events ?? []);
  }

  /** Starts listening to the devices and takes up every command that was open when the gateway stopped. */
  async start(): Promise<void> {
    for (const device of this.#options.devices.list()) this.#onDevice({ type: 'present', device });
    this.#unsubscribe = this.#options.devices.subscribe((change) => this.#onDevice(change));
    const records = await openRecords(this.store);
    this.#place(records.map((record) => this.#takeUp(record)));
    const inFlight = [...this.#live.values()].map((task) => task.current);
    for (const { deviceId, fields, watch } of await claims(inFlight, this.#options)) {
      this.#lanes.get(deviceId)?.recall(fields, watch);
    }
    if (records.length > 0) this.#log.info({ tasks: records.length }, 'took up the open commands again');
  }

  /** Stops timers and reads; every open command is on disk and goes on at the next start. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    for (const lane of this.#lanes.values()) lane.stop();
    await Promise.all([...this.#live.values()].map((task) => task.stop()));
  }

  devices(): readonly DeviceSpec[] {
    return this.#specs;
  }

  async look(deviceIds: readonly string[], maxAgeMs: number): Promise<readonly DeviceView[]> {
    const lanes = deviceIds.map((id) => this.#lane(id));
    await Promise.all(
      lanes.map((lane) => refresh(lane.device, this.clock, { maxAgeMs, patienceMs: LOOK_MS, urgent: false })),
    );
    return lanes.map(({ device }) => viewOf(device));
  }

  view(deviceId: string): DeviceView | undefined {
    const lane = this.#lanes.get(deviceId);
    return lane && viewOf(lane.device);
  }

  async submit(wish: Wish): Promise<Actuation> {
    if (this.#stopping) throw new UserError('shutting_down', 'The gateway is stopping; ask again once it is back.');
    if (wish.key === undefined) return this.#begin(wish, { taskId: randomBytes(18).toString('base64url') });
    const taskId = keyedTaskId(wish.principal, wish.key);
    return this.#repeatable.take(taskId, async () => {
      const known = await this.get(taskId, wish.principal);
      if (!known) return this.#begin(wish, { taskId, wishDigest: digestOf(wish) });
      requireSameWish(known, wish);
      return known;
    });
  }

  async #begin(wish: Wish, identity: Pick<Order, 'taskId' | 'wishDigest'>): Promise<Actuation> {
    const { device } = this.#lane(wish.deviceId);
    if (Object.values(wish.set).every((value) => value === undefined)) {
      throw new UserError('nothing_to_do', `Name at least one field of ${device.spec.name} to set.`);
    }
    const { known, planned } = await planNew(device, wish.set, this.clock);
    const { deadlineMs, settleMs } = device.spec.verify;
    const actuation = open({
      ...identity,
      principal: wish.principal,
      spec: device.spec,
      known,
      plan: planned,
      at: this.clock.now(),
      boot: this.clock.boot,
      // A slow device must not run out of its task's lifetime before its own deadline.
      ttlMs: Math.max(this.#options.ttlMs, 2 * (deadlineMs + settleMs)),
      approvalTtlMs: this.#options.approvalTtlMs,
    });
    try {
      await this.store.put(actuation);
    } catch (error) {
      const message = `The command was not taken, because it could not be stored (${messageOf(error)}). Nothing was sent.`;
      throw new UserError('store_unavailable', message, { cause: error });
    }
    this.#heard.tell(actuation);
    if (!actuation.outcome) this.#admit(new LiveTask(this, actuation));
    return actuation;
  }

  async get(taskId: string, principal: string | null): Promise<Actuation | undefined> {
    const actuation = this.#live.get(taskId)?.visible ?? (await this.store.get(taskId));
    return principal === null || actuation?.principal === principal ? actuation : undefined;
  }

  async list({ principal, ...query }: CommandQuery): Promise<readonly Actuation[]> {
    const records = await this.store.list({ ...query, ...(principal !== null && { principal }) });
    return records.map((record) => this.#live.get(record.taskId)?.visible ?? record);
  }

  async waiting(): Promise<readonly Actuation[]> {
    const open = [...this.#live.values()].map((task) => task.visible);
    return open
      .filter(({ phase }) => phase === 'awaiting_approval')
      .sort((a, b) => a.createdAt.mono - b.createdAt.mono);
  }

  async settled(
    taskId: string,
    principal: string,
    untilMs: number,
    signal?: AbortSignal,
  ): Promise<Actuation | undefined> {
    const found = await this.get(taskId, principal);
    if (!found || found.outcome || untilMs <= 0 || signal?.aborted) return found;
    await new Promise<void>((resolve) => {
      const done = () => {
        stopListening();
        cancelTimer();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const stopListening = this.subscribe((actuation) => {
        if (actuation.taskId === taskId && actuation.outcome) done();
      });
      const cancelTimer = this.clock.at(this.clock.now().mono + untilMs, done);
      signal?.addEventListener('abort', done, { once: true });
      // It may have settled between the question and the subscription.
      if (!this.#live.has(taskId)) done();
    });
    return this.get(taskId, principal);
  }

  async cancel(taskId: string, principal: string | null): Promise<Actuation | undefined> {
    const found = await this.get(taskId, principal);
    const task = this.#live.get(taskId);
    if (!found || !task) return found;
    task.cancel();
    await task.flushed();
    return task.visible;
  }

  async answer(taskId: string, principal: string, answer: Answer): Promise<Actuation | undefined> {
    const found = await this.get(taskId, principal);
    if (!found) return undefined;
    const task = this.#live.get(taskId);
    if (task?.current.phase !== 'awaiting_approval') {
      throw new UserError('not_waiting', 'This command does not wait for an answer (any more).');
    }
    const { approved, by, through } = answer;
    task.apply({ type: approved ? 'approved' : 'declined', at: this.clock.now(), by, through });
    await task.flushed();
    return task.visible;
  }

  subscribe(listener: (actuation: Actuation) => void): () => void {
    return this.#heard.add(listener);
  }

  onDrift(listener: (event: Drifted) => void): () => void {
    return this.#heardOfDrift.add(listener);
  }

  onDevice(listener: (news: DeviceNews) => void): () => void {
    return this.#heardOfDevices.add(listener);
  }

  async aftermath(taskId: string, principal: string | null): Promise<readonly Drifted[]> {
    const found = await this.get(taskId, principal);
    return (found && this.#options.aftermaths.get(taskId)?.events) ?? [];
  }

  historyDays(): Promise<readonly string[]> {
    return this.#past.days();
  }

  history(day: string, principal: string | null): Promise<readonly PastTask[]> {
    return this.#past.ofDay(day, principal);
  }

  usualMs(deviceId: string, fields: readonly string[]): number | null {
    return this.#habits.usualMs(deviceId, fields);
  }

  send(task: LiveTask, wants: Readonly<Record<string, Value>>): void {
    const lane = this.#laneOf(task);
    if (lane) lane.send(task, wants);
    else task.apply(wentAway(Object.keys(wants), this.clock.now()));
  }

  ask(task: LiveTask, fields: readonly string[]): void {
    this.#laneOf(task)?.ask(task, fields);
  }

  openRead(task: LiveTask): Promise<void> | null {
    return this.#laneOf(task)?.openRead(task) ?? null;
  }

  shown(task: LiveTask, actuation: Actuation): void {
    const lane = this.#laneOf(task);
    if (actuation.outcome) {
      this.#live.delete(task.id);
      this.#habits.learnFrom(actuation);
      this.#logOutcome(actuation);
    }
    this.#heard.tell(actuation);
    if (actuation.phase === 'queued' && actuation.approval?.answer && !actuation.sentAt) lane?.enqueue(task);
    lane?.follow(task);
  }

  storeFailed(task: LiveTask, error: unknown): void {
    this.#log.error({ task: task.id, error: messageOf(error) }, 'a record could not be stored; trying again');
  }

  #admit(task: LiveTask): void {
    this.#live.set(task.id, task);
    task.apply({ type: 'tick', at: this.clock.now() });
    this.#place([task]);
  }

  #takeUp(record: Actuation): LiveTask {
    const task = new LiveTask(this, record);
    this.#live.set(task.id, task);
    const at = this.clock.now();
    task.apply({ type: 'restarted', at, boot: this.clock.boot });
    return task;
  }

  /**
   * Puts open commands where they stand, oldest first; without its device one waits, for the device may yet announce
   * itself. What may have left is in flight before anything else can be begun, however much older that is: it may have
   * waited for a person.
   */
  #place(tasks: readonly LiveTask[]): void {
    for (const task of tasks) {
      const { phase } = task.current;
      if (phase === 'sending' || phase === 'verifying') this.#laneOf(task)?.resume(task);
    }
    for (const task of tasks) if (task.current.phase === 'queued') this.#laneOf(task)?.enqueue(task);
  }

  #onDevice({ type, device }: DeviceChange): void {
    const { id } = device.spec;
    const lane = this.#lanes.get(id);
    if (type === 'gone') {
      lane?.stop();
      this.#lanes.delete(id);
    } else if (lane) lane.replace(device);
    else this.#addLane(this.#makeLane(device));
    this.#specs = [...this.#lanes.values()].map((each) => each.device.spec);
    this.#heardOfDevices.tell({ type, deviceId: id });
  }

  #makeLane(device: Device): Lane {
    const { aftermaths, clock, log } = this.#options;
    return new Lane(device, {
      clock,
      log,
      aftermaths,
      habits: this.#habits,
      drifted: (event) => this.#heardOfDrift.tell(event),
      changed: (deviceId) => this.#heardOfDevices.tell({ type: 'state', deviceId }),
    });
  }

  #addLane(lane: Lane): void {
    const { id } = lane.device.spec;
    this.#lanes.set(id, lane);
    lane.start();
    this.#place([...this.#live.values()].filter((task) => task.current.deviceId === id));
  }

  #lane(deviceId: string): Lane {
    const lane = this.#lanes.get(deviceId);
    if (lane) return lane;
    const known = [...this.#lanes.keys()].join(', ') || 'none';
    throw new UserError('unknown_device', `There is no device "${deviceId.slice(0, 64)}"; devices: ${known}.`);
  }

  #laneOf(task: LiveTask): Lane | undefined {
    return this.#lanes.get(task.current.deviceId);
  }

  #logOutcome(actuation: Actuation): void {
    const { taskId, deviceId, outcome } = actuation;
    const verdict = outcome?.type === 'verdict' ? { verdict: outcome.verdict, reason: outcome.reason } : {};
    this.#log.info({ task: taskId, device: deviceId, outcome: outcome?.type, ...verdict }, 'a command settled');
  }
}

function viewOf(device: Device): DeviceView {
  const state = device.state();
  return { spec: device.spec, state, reachable: !isOffline(state) };
}
