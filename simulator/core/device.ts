import type { z } from 'zod';
import { Agenda } from './agenda.ts';
import { Announcer, type DeviceEvent } from './announcer.ts';
import { type ArmedFault, ArmedFaults } from './armed-faults.ts';
import type { Clock } from './clock.ts';
import type { Answer, DeviceView, Report } from './device-view.ts';
import { InputError, messageOf, parseInput } from './errors.ts';
import type { FaultEffect, Reception, Step } from './fault.ts';
import { faultName } from './faults.ts';
import { Flapping } from './flapping.ts';
import { Mechanism, type Motion, type Moved } from './mechanism.ts';
import { commandSchema, type DeviceModel, pick, type State, shownState } from './model.ts';
import { type Random, seededRandom } from './random.ts';
import { Sensors } from './sensors.ts';
import { type Settings, settingsSchema, type Timing } from './settings.ts';
import type { TruthLog } from './truth.ts';

/** A command on its way from reception to action. */
interface Order extends Motion {
  readonly changes: State;
  readonly effects: readonly FaultEffect[];
  readonly staleMs: number;
}

const HONEST: Reception = { answer: 'received', answerAfterMs: 0, actsAfterMs: [0], echoMs: 0, staleMs: 0 };

/** A device without a protocol: it receives, waits, acts, and shows. HTTP or any other face puts it on a wire. */
export class SimulatedDevice {
  readonly model: DeviceModel;
  readonly #clock: Clock;
  readonly #truth: TruthLog;
  readonly #startTiming: Timing;
  readonly #seed: number;
  readonly #agenda: Agenda;
  readonly #sensors: Sensors;
  readonly #mechanism: Mechanism;
  readonly #announcer: Announcer;
  readonly #faults: ArmedFaults;
  readonly #flapping: Flapping;
  readonly #schemas: { readonly command: z.ZodType<State>; readonly settings: z.ZodType<Settings> };
  #timing: Timing;
  #random: Random;
  #commands = 0;
  /** When the latest command will act: no command overtakes an older one, whatever the jitter. */
  #lastActMono = Number.NEGATIVE_INFINITY;

  constructor(model: DeviceModel, world: { clock: Clock; truth: TruthLog; timing: Timing; seed: number }) {
    this.model = model;
    this.#clock = world.clock;
    this.#truth = world.truth;
    this.#startTiming = world.timing;
    this.#seed = world.seed;
    this.#agenda = new Agenda(world.clock);
    this.#sensors = new Sensors(this.#agenda, () => this.#tell([]));
    this.#mechanism = new Mechanism(model, {
      clock: world.clock,
      agenda: this.#agenda,
      moved: (moved) => this.#onMoved(moved),
    });
    this.#announcer = new Announcer(shownState(model, model.start));
    this.#faults = new ArmedFaults(model.protocol);
    this.#flapping = new Flapping(this.#agenda, {
      goesOn: () => {
        // An outage counts when it ends, so that the last one is over before the fault is.
        this.#faults.use('flap');
        return this.#faults.has('flap');
      },
      turned: () => this.#announcer.tellReachable(this.reachable),
    });
    this.#schemas = { command: commandSchema(model), settings: settingsSchema(model) };
    this.#timing = world.timing;
    this.#random = seededRandom(world.seed);
  }

  get id(): string {
    return this.model.id;
  }

  /** False while a fault keeps it off the network. */
  get reachable(): boolean {
    return !this.#faults.has('offline') && !this.#flapping.down;
  }

  /** What its sensors show, in their own spelling. */
  get shown(): State {
    return shownState(this.model, this.#sensors.read(this.#mechanism.state));
  }

  /** Hears what it does of its own accord. @returns a function that ends it */
  subscribe(listener: (event: DeviceEvent) => void): () => void {
    return this.#announcer.subscribe(listener);
  }

  /** Whether a request reaches the device; one that does not is counted as lost. */
  admit(request: 'command' | 'sensors'): boolean {
    if (this.reachable) return true;
    this.#truth.count(this.id, 'lost_requests');
    if (request === 'command') this.#faults.use('offline');
    this.#announcer.tellReachable(this.reachable);
    return false;
  }

  /**
   * Takes a command that reached the device. It acts when its delay is over.
   * @throws InputError where the command makes no sense to it
   */
  receive(body: unknown): Answer {
    const changes = this.#parseCommand(body);
    const faults = this.#faults.useForCommand();
    const effects = faults.map(([, effect]) => effect);
    const reception = effects.reduce((draft, effect) => effect.reception?.(draft) ?? draft, HONEST);
    const command = ++this.#commands;
    this.#truth.add({ type: 'command', device: this.id, command, body: changes, faults: faults.map(([name]) => name) });

    const { mono } = this.#clock.now();
    const tellsAfterMs = reception.answer === 'none' ? null : reception.answerAfterMs;
    const order = { command, changes, effects, staleMs: reception.staleMs, tellsAfterMs };
    if (reception.echoMs > 0) {
      this.#sensors.pretend(changes, mono + reception.echoMs);
      this.#tellOf(order, []);
    }
    const delayMs = this.#timing.delay_ms + this.#random() * this.#timing.jitter_ms;
    const actMono = Math.max(mono + delayMs, this.#lastActMono);
    for (const afterMs of reception.actsAfterMs) {
      this.#lastActMono = actMono;
      this.#agenda.add(actMono + afterMs, () => this.#act(order, actMono + afterMs));
    }
    return { type: reception.answer, afterMs: reception.answerAfterMs, received: changes };
  }

  /** What its sensors answer now, in their own spelling. */
  report(): Report {
    this.#truth.count(this.id, 'sensor_requests');
    return { values: this.shown, garbled: this.#garbles() };
  }

  /**
   * Arms a fault: `{fault, times?, ...parameters}`. It replaces an armed one of the same name.
   * @throws InputError, UnknownError
   */
  arm(order: unknown): ArmedFault {
    const armed = this.#faults.arm(order);
    const { every_ms: everyMs } = armed.parameters;
    if (armed.fault === 'flap' && everyMs) this.#flapping.start(this.#clock.now().mono, everyMs);
    this.#announcer.tellReachable(this.reachable);
    return armed;
  }

  /**
   * Clears one fault, or all. A command that it already applied to keeps it.
   * @throws UnknownError where there is no fault of this name
   */
  clear(fault?: string): void {
    const name = fault === undefined ? undefined : faultName(fault);
    this.#faults.clear(name);
    if (name === undefined || name === 'flap') this.#flapping.stop();
    this.#announcer.tellReachable(this.reachable);
  }

  /**
   * Changes its timing for the commands to come, or its state at once, as if somebody had used its own buttons.
   * @throws InputError
   */
  configure(settings: unknown): void {
    const { state, ...timing } = parseInput(this.#schemas.settings, settings);
    this.#timing = { ...this.#timing, ...timing };
    if (!state) return;
    this.#sensors.trust(Object.keys(state));
    const motion = { command: null, tellsAfterMs: 0 };
    this.#mechanism.own(motion, Object.keys(state));
    this.#mechanism.apply(motion, state);
  }

  view(): DeviceView {
    return {
      id: this.id,
      name: this.model.name,
      protocol: this.model.protocol,
      fields: this.model.fields,
      ...this.#timing,
      state: this.#mechanism.state,
      shown: this.shown,
      reachable: this.reachable,
      faults: this.#faults.list(),
      counts: this.#truth.counts(this.id),
    };
  }

  /** Back to the start: state, timing, random numbers; no faults, nothing under way. */
  reset(): void {
    this.stop();
    this.#sensors.trust(Object.keys(this.model.fields));
    this.#mechanism.reset();
    this.#timing = this.#startTiming;
    this.#random = seededRandom(this.#seed);
    this.#commands = 0;
    this.#lastActMono = Number.NEGATIVE_INFINITY;
    this.#announcer.reset(this.shown);
  }

  /** Lets go of everything under way. */
  stop(): void {
    this.clear();
    this.#agenda.clear();
  }

  #parseCommand(body: unknown): State {
    try {
      return parseInput(this.#schemas.command, body);
    } catch (error) {
      if (error instanceof InputError) {
        this.#truth.add({ type: 'rejected', device: this.id, body: body ?? null, error: messageOf(error) });
      }
      throw error;
    }
  }

  #act(order: Order, mono: number): void {
    const scene = { model: this.model, before: this.#mechanism.state };
    const whole: readonly Step[] = [{ afterMs: 0, changes: order.changes }];
    const steps = order.effects.reduce((motion, effect) => effect.motion?.(motion, scene) ?? motion, whole);
    const names = Object.keys(order.changes);
    this.#sensors.trust(names);
    if (order.staleMs > 0) this.#sensors.pretend(pick(scene.before, names), mono + order.staleMs);
    // An own motion for each time it acts: of a command that acts twice, the second time ends the first.
    const motion: Motion = { command: order.command, tellsAfterMs: order.tellsAfterMs };
    this.#mechanism.own(motion, names);
    for (const { afterMs, changes } of steps) {
      if (afterMs === 0) this.#mechanism.apply(motion, changes);
      else this.#agenda.add(mono + afterMs, () => this.#mechanism.apply(motion, changes));
    }
  }

  #onMoved({ motion, touched, changes }: Moved): void {
    this.#truth.add({ type: 'actuation', device: this.id, command: motion.command, changes });
    this.#tellOf(motion, touched);
  }

  /** Tells of these fields when the motion's time for it has come. */
  #tellOf({ tellsAfterMs }: Motion, touched: readonly string[]): void {
    if (tellsAfterMs === null) this.#announcer.keepQuiet(this.shown);
    else if (tellsAfterMs === 0) this.#tell(touched);
    else this.#agenda.add(this.#clock.now().mono + tellsAfterMs, () => this.#tell(touched));
  }

  #tell(touched: readonly string[]): void {
    this.#announcer.tell(this.shown, touched, () => this.#garbles());
  }

  #garbles(): boolean {
    return this.#faults.use('garbled') !== undefined;
  }
}
