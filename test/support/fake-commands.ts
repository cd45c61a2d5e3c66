import { randomBytes } from 'node:crypto';
import type { Answer, CommandQuery, Commands, DeviceNews, DeviceView, Wish } from '../../gateway/actuation/commands.ts';
import { keyedTaskId } from '../../gateway/actuation/wish-key.ts';
import { type Actuation, isSettled } from '../../gateway/domain/actuation.ts';
import type { DeviceSpec } from '../../gateway/domain/device.ts';
import type { Drifted } from '../../gateway/domain/drift.ts';
import { UserError } from '../../gateway/domain/errors.ts';
import type { ActuationEvent } from '../../gateway/domain/events.ts';
import { dayOf, type PastTask } from '../../gateway/domain/history.ts';
import { open } from '../../gateway/domain/open.ts';
import { knownOf, plan } from '../../gateway/domain/plan.ts';
import type { DeviceState } from '../../gateway/domain/reading.ts';
import { step } from '../../gateway/domain/step.ts';
import type { Clock, Instant } from '../../gateway/domain/time.ts';
import type { Value } from '../../gateway/domain/value.ts';

/** Keeps an event's own fields apart for each type, which `Omit` over the union would not. */
type Timeless<Event> = Event extends unknown ? Omit<Event, 'at'> : never;

/**
 * `Commands` in memory, with the real plan and the real reducer and a test that holds the pen: nothing happens to a
 * command until the test says so, and time passes only by `advance`.
 */
export class FakeCommands implements Commands {
  readonly wishes: Wish[] = [];
  /** The devices of every look, one entry a call. */
  readonly looks: (readonly string[])[] = [];
  /** What happened to every task after its verdict. */
  drifts: readonly Drifted[] = [];
  readonly clock: Clock;
  /** What happens to every new command before `submit` answers; nothing by default. */
  onSubmit: (taskId: string) => void = () => {};
  /** Thrown by every method that can be refused. */
  refuseWith: Error | undefined;
  #specs: readonly DeviceSpec[];
  readonly #states: Map<string, DeviceState>;
  readonly #records = new Map<string, Actuation>();
  readonly #listeners = new Set<(actuation: Actuation) => void>();
  readonly #deviceListeners = new Set<(news: DeviceNews) => void>();
  readonly #driftListeners = new Set<(event: Drifted) => void>();
  #mono = 1_000;

  constructor(specs: readonly DeviceSpec[]) {
    this.#specs = specs;
    this.#states = new Map(specs.map((spec) => [spec.id, unheard()]));
    this.clock = { boot: 'test', now: () => this.#now(), at: () => () => {} };
  }

  /** Goes on with the records of another, as a gateway does after a restart. */
  takeOver(before: FakeCommands): void {
    for (const [taskId, record] of before.#records) this.#records.set(taskId, record);
  }

  /** Lets time pass for everything that reads the clock. */
  advance(ms: number): void {
    this.#mono += ms;
  }

  /** What is known of a device from now on; its values are as old as this call. */
  know(deviceId: string, values: Readonly<Record<string, Value>>): void {
    const at = this.#now();
    const known = Object.entries(values).map(([field, value]) => [field, { value, at, live: true }] as const);
    const before = this.#state(deviceId);
    this.#states.set(deviceId, {
      values: { ...before.values, ...Object.fromEntries(known) },
      online: true,
      onlineAt: at,
      heardAt: at,
      push: {},
    });
    this.#tell({ type: 'state', deviceId });
  }

  /** A device says once more what is known of it. */
  repeat(deviceId: string): void {
    const at = this.#now();
    const before = this.#state(deviceId);
    const values = Object.entries(before.values).map(([field, known]) => [field, { ...known, at }] as const);
    this.#states.set(deviceId, { ...before, values: Object.fromEntries(values), heardAt: at });
  }

  /** A device announces itself. */
  appear(spec: DeviceSpec): void {
    this.#specs = [...this.#specs, spec];
    this.#states.set(spec.id, unheard());
    this.#tell({ type: 'present', deviceId: spec.id });
  }

  /** A device takes its leave. */
  vanish(deviceId: string): void {
    this.#specs = this.#specs.filter((spec) => spec.id !== deviceId);
    this.#tell({ type: 'gone', deviceId });
  }

  /** The command leaves for the device, which answers it well. */
  send(taskId: string): void {
    const fields = this.#record(taskId).fields.map((track) => track.field);
    const before = knownOf(this.#state(this.#record(taskId).deviceId));
    this.apply(taskId, { type: 'started', before, offline: false, refusal: null });
    this.apply(taskId, { type: 'send', report: { type: 'sent', fields } });
    this.apply(taskId, { type: 'send', report: { type: 'accepted', fields } });
  }

  /** The device is asked, a moment later, and answers this. */
  read(taskId: string, values: Readonly<Record<string, Value>>): void {
    this.advance(10);
    const at = this.#now();
    this.apply(taskId, {
      type: 'device',
      report: {
        type: 'reading',
        at,
        beganAt: at,
        source: 'read',
        retained: false,
        values,
        moving: {},
        excluded: [],
        acks: {},
      },
    });
  }

  /** The command's deadline passes. */
  expire(taskId: string): void {
    this.advance(this.#record(taskId).rules.deadlineMs);
    this.apply(taskId, { type: 'tick' });
  }

  /** Any one thing happens to a command, now. */
  apply(taskId: string, event: Timeless<ActuationEvent>): Actuation {
    const { actuation } = step(this.#record(taskId), { ...event, at: this.#now() } as ActuationEvent);
    this.#keep(actuation);
    return actuation;
  }

  devices(): readonly DeviceSpec[] {
    return this.#specs;
  }

  async look(deviceIds: readonly string[]): Promise<readonly DeviceView[]> {
    if (this.refuseWith) throw this.refuseWith;
    this.looks.push(deviceIds);
    return deviceIds.flatMap((id) => this.view(id) ?? []);
  }

  view(deviceId: string): DeviceView | undefined {
    const spec = this.#specs.find(({ id }) => id === deviceId);
    const state = this.#state(deviceId);
    return spec && { spec, state, reachable: state.online !== false };
  }

  async submit(wish: Wish): Promise<Actuation> {
    if (this.refuseWith) throw this.refuseWith;
    this.wishes.push(wish);
    const taskId =
      wish.key === undefined ? randomBytes(16).toString('base64url') : keyedTaskId(wish.principal, wish.key);
    const before = this.#records.get(taskId);
    if (before) return before;
    const spec = this.#specs.find((each) => each.id === wish.deviceId);
    if (!spec) throw new UserError('unknown_device', `There is no device "${wish.deviceId}"`);
    if (Object.keys(wish.set).length === 0) throw new UserError('nothing_to_do', 'Name at least one field to set');
    const known = knownOf(this.#state(spec.id));
    const actuation = open({
      taskId,
      principal: wish.principal,
      spec,
      known,
      plan: plan(spec, known, wish.set),
      at: this.#now(),
      boot: this.clock.boot,
      ttlMs: 300_000,
      approvalTtlMs: 300_000,
    });
    this.#keep(actuation);
    this.onSubmit(actuation.taskId);
    return this.#record(actuation.taskId);
  }

  async get(taskId: string, principal: string | null): Promise<Actuation | undefined> {
    if (this.refuseWith) throw this.refuseWith;
    const found = this.#records.get(taskId);
    return principal === null || found?.principal === principal ? found : undefined;
  }

  async list({ principal, deviceId, verdict, open, limit, after }: CommandQuery): Promise<readonly Actuation[]> {
    const all = [...this.#records.values()].reverse();
    const from = after === undefined ? 0 : all.findIndex((record) => record.taskId === after) + 1 || all.length;
    const fits = ({ outcome, ...record }: Actuation) =>
      (principal === null || record.principal === principal) &&
      (deviceId === undefined || record.deviceId === deviceId) &&
      (verdict === undefined || (outcome?.type === 'verdict' && outcome.verdict === verdict)) &&
      (open === undefined || open === (outcome === null));
    return all.slice(from).filter(fits).slice(0, limit);
  }

  async waiting(): Promise<readonly Actuation[]> {
    return [...this.#records.values()].filter(({ phase }) => phase === 'awaiting_approval');
  }

  async settled(taskId: string, principal: string, untilMs: number, signal?: AbortSignal) {
    const found = await this.get(taskId, principal);
    if (!found || isSettled(found) || signal?.aborted) return found;
    return new Promise<Actuation | undefined>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unsubscribe();
        signal?.removeEventListener('abort', end);
        resolve(this.#records.get(taskId));
      };
      const timer = setTimeout(end, untilMs);
      const unsubscribe = this.subscribe((changed) => {
        if (changed.taskId === taskId && isSettled(changed)) end();
      });
      signal?.addEventListener('abort', end);
    });
  }

  async cancel(taskId: string, principal: string | null): Promise<Actuation | undefined> {
    if (!(await this.get(taskId, principal))) return undefined;
    return this.apply(taskId, { type: 'cancelled' });
  }

  async answer(taskId: string, principal: string, { approved, by, through }: Answer): Promise<Actuation | undefined> {
    const found = await this.get(taskId, principal);
    if (!found) return undefined;
    if (found.phase !== 'awaiting_approval') throw new UserError('not_waiting', 'Nothing is asked here any more');
    return this.apply(taskId, { type: approved ? 'approved' : 'declined', by, through });
  }

  async aftermath(taskId: string): Promise<readonly Drifted[]> {
    return this.drifts.filter((event) => event.taskId === taskId);
  }

  /** A value that was verified changed. */
  drift(event: Drifted): void {
    this.drifts = [...this.drifts, event];
    for (const listener of [...this.#driftListeners]) listener(event);
  }

  async historyDays(): Promise<readonly string[]> {
    return [...new Set(this.#past().map(({ actuation }) => dayOf(actuation)))].sort().reverse();
  }

  async history(day: string, principal: string | null): Promise<readonly PastTask[]> {
    return this.#past().filter(
      ({ actuation }) => dayOf(actuation) === day && (principal === null || actuation.principal === principal),
    );
  }

  onDevice(listener: (news: DeviceNews) => void): () => void {
    this.#deviceListeners.add(listener);
    return () => this.#deviceListeners.delete(listener);
  }

  onDrift(listener: (event: Drifted) => void): () => void {
    this.#driftListeners.add(listener);
    return () => this.#driftListeners.delete(listener);
  }

  usualMs(): number | null {
    return null;
  }

  subscribe(listener: (actuation: Actuation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #past(): PastTask[] {
    const settled = [...this.#records.values()].filter(isSettled).reverse();
    return settled.map((actuation) => ({ actuation, aftermath: this.drifts }));
  }

  #tell(news: DeviceNews): void {
    for (const listener of [...this.#deviceListeners]) listener(news);
  }

  #record(taskId: string): Actuation {
    const found = this.#records.get(taskId);
    if (!found) throw new Error(`the test speaks of a task that was never made: ${taskId}`);
    return found;
  }

  #state(deviceId: string): DeviceState {
    return this.#states.get(deviceId) ?? unheard();
  }

  #keep(actuation: Actuation): void {
    if (this.#records.get(actuation.taskId) === actuation) return;
    this.#records.set(actuation.taskId, actuation);
    for (const listener of [...this.#listeners]) listener(actuation);
  }

  /** Every moment is later than the one before, as on a real machine. */
  #now(): Instant {
    this.#mono += 1;
    return { mono: this.#mono, wall: Date.UTC(2026, 10, 30) + this.#mono };
  }
}

function unheard(): DeviceState {
  return { values: {}, online: null, onlineAt: null, heardAt: null, push: {} };
}
