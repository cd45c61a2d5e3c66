import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { DeviceSpec, VerifyRules } from '../../gateway/domain/device.ts';
import type { ActuationEvent, Effect } from '../../gateway/domain/events.ts';
import type { FieldSpec } from '../../gateway/domain/field.ts';
import { open } from '../../gateway/domain/open.ts';
import { type Known, plan } from '../../gateway/domain/plan.ts';
import type { Reading } from '../../gateway/domain/reading.ts';
import { step } from '../../gateway/domain/step.ts';
import type { Instant } from '../../gateway/domain/time.ts';
import type { Value } from '../../gateway/domain/value.ts';

/** The wall clock at monotonic zero of every history. */
const EPOCH = Date.UTC(2026, 0, 1);

/** An instant `ms` after the beginning of a history. */
export function at(ms: number): Instant {
  return { mono: ms, wall: EPOCH + ms };
}

/** A field with sane defaults: a number from 16 to 30 that reports by itself and can be asked for. */
export function field(name: string, over: Partial<FieldSpec> = {}): FieldSpec {
  return {
    name,
    compare: { type: 'number', tolerance: 0.25 },
    writable: true,
    readback: { readable: true, push: true, askable: false, ackable: true },
    map: [],
    alias: {},
    scale: 1,
    nulls: [],
    approval: { type: 'never' },
    ...over,
  };
}

export function option(name: string, options: readonly string[], over: Partial<FieldSpec> = {}): FieldSpec {
  return field(name, { compare: { type: 'option' }, options, ...over });
}

/** How a field that is only known by asking is read back. */
export const POLLED = { readable: true, push: false, askable: true, ackable: true } as const;

export function device(
  fields: readonly FieldSpec[],
  verify: Partial<VerifyRules> = {},
  over: Partial<DeviceSpec> = {},
): DeviceSpec {
  return {
    id: 'ac',
    name: 'AC',
    kind: 'climate',
    fields: Object.fromEntries(fields.map((each) => [each.name, each])),
    order: fields.map((each) => each.name),
    guard: [],
    sideEffects: {},
    verify: { echoMs: 0, settleMs: 0, deadlineMs: 10_000, watchMs: 0, pollMs: [], level: 3, resend: 0, ...verify },
    minGapMs: 0,
    caveats: [],
    ...over,
  };
}

/**
 * A command living through a history. Ticks come by themselves: before every event, and at the end, each wake-up that
 * the reducer asked for happens on time.
 */
export class History {
  actuation: Actuation;
  readonly effects: Effect[] = [];
  readonly states: Actuation[] = [];
  #wake = Number.POSITIVE_INFINITY;
  readonly #known: Known;

  constructor(spec: DeviceSpec, known: Known, set: Readonly<Record<string, unknown>>) {
    this.#known = known;
    this.actuation = open({
      taskId: 'task',
      principal: 'somebody',
      spec,
      known,
      plan: plan(spec, known, set),
      at: at(0),
      boot: 'boot-1',
      ttlMs: 300_000,
      approvalTtlMs: 900_000,
    });
    this.event({ type: 'tick', at: at(0) });
  }

  event(event: ActuationEvent): this {
    this.#tickUntil(event.at.mono);
    this.#apply(event);
    return this;
  }

  /** Starts, sends everything in one request at `ms`, and has the transport accept it. */
  sent(ms = 0): this {
    return this.left(ms).accepted(ms);
  }

  /** Starts, and sends everything in one request at `ms`; no answer has come. */
  left(ms = 0): this {
    this.event({ type: 'started', at: at(ms), before: this.#known, offline: false, refusal: null });
    return this.event({ type: 'send', at: at(ms), report: { type: 'sent', fields: this.#fields } });
  }

  /** The transport accepts the request. */
  accepted(ms: number): this {
    return this.event({ type: 'send', at: at(ms), report: { type: 'accepted', fields: this.#fields } });
  }

  /** The device reports these values by itself. */
  report(ms: number, values: Reading['values'], over: Partial<Reading> = {}): this {
    return this.#reading(ms, { source: 'report', values, ...over });
  }

  /** A direct read that began `tookMs` before is answered. */
  read(ms: number, values: Reading['values'], tookMs = 1): this {
    return this.#reading(ms, { source: 'read', values, beganAt: at(ms - tookMs) });
  }

  /** The gateway is gone until `ms`: no timer fires while it is down. */
  restarted(ms: number, boot = 'boot-1'): this {
    this.#wake = Number.POSITIVE_INFINITY;
    return this.event({ type: 'restarted', at: at(ms), boot });
  }

  readFailed(ms: number): this {
    return this.event({ type: 'read_failed', at: at(ms), detail: 'connection refused' });
  }

  availability(ms: number, online: boolean, retained = false): this {
    return this.event({
      type: 'device',
      at: at(ms),
      report: { type: 'availability', at: at(ms), online, retained },
    });
  }

  /** Lets time pass up to and including `ms`. */
  until(ms: number): this {
    this.#tickUntil(ms);
    return this;
  }

  /** `verdict/reason at ms`, or the phase while it is open. */
  get verdict(): string {
    const { outcome, phase } = this.actuation;
    if (!outcome) return phase;
    if (outcome.type !== 'verdict') return outcome.type;
    return `${outcome.verdict}${outcome.reason ? `/${outcome.reason}` : ''} at ${outcome.at.mono}`;
  }

  observed(name: string): Value | null {
    return this.actuation.fields.find((track) => track.field === name)?.runs.at(-1)?.value ?? null;
  }

  get #fields(): string[] {
    return this.actuation.fields.map((track) => track.field);
  }

  #reading(ms: number, over: Partial<Reading>): this {
    const report: Reading = {
      type: 'reading',
      at: at(ms),
      beganAt: at(ms),
      source: 'report',
      retained: false,
      values: {},
      moving: {},
      excluded: [],
      acks: {},
      ...over,
    };
    return this.event({ type: 'device', at: at(ms), report });
  }

  #tickUntil(ms: number): void {
    while (this.#wake <= ms) {
      const time = this.#wake;
      this.#wake = Number.POSITIVE_INFINITY;
      this.#apply({ type: 'tick', at: at(time) });
    }
  }

  #apply(event: ActuationEvent): void {
    const { actuation, effects } = step(this.actuation, event);
    this.actuation = actuation;
    this.states.push(actuation);
    this.effects.push(...effects.filter((effect) => effect.type !== 'wake'));
    const wake = effects.find((effect) => effect.type === 'wake');
    if (wake) this.#wake = wake.mono;
    else if (actuation.outcome) this.#wake = Number.POSITIVE_INFINITY;
  }
}
