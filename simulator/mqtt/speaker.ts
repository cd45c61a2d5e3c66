import { Agenda } from '../core/agenda.ts';
import type { DeviceEvent } from '../core/announcer.ts';
import type { Clock } from '../core/clock.ts';
import type { SimulatedDevice } from '../core/device.ts';
import type { Answer } from '../core/device-view.ts';
import { InputError } from '../core/errors.ts';
import { pick, type State } from '../core/model.ts';
import type { Demand, Dialect, Occasion } from './dialect.ts';
import { garbled, type Message } from './message.ts';

/** A device that speaks MQTT: hears commands, tells what the device does, and says the rest that its dialect says. */
export class Speaker {
  readonly dialect: Dialect;
  readonly device: SimulatedDevice;
  readonly #clock: Clock;
  readonly #agenda: Agenda;
  readonly #publish: (message: Message) => void;
  #unsubscribe: (() => void) | null = null;
  /** What a bridge with a cache believes. */
  #cache: State = {};

  /** @param publish loses what is said while there is no connection */
  constructor(dialect: Dialect, world: { device: SimulatedDevice; clock: Clock; publish: (message: Message) => void }) {
    this.dialect = dialect;
    this.device = world.device;
    this.#clock = world.clock;
    this.#agenda = new Agenda(world.clock);
    this.#publish = world.publish;
  }

  start(): void {
    this.#cache = this.device.shown;
    this.#unsubscribe = this.device.subscribe((event) => this.#onEvent(event));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#agenda.clear();
  }

  /** Introduces itself; for every new connection. */
  greet(): void {
    const { announcement, firstStateAfterMs, repeatEveryMs } = this.dialect;
    this.#agenda.clear();
    this.#say(this.dialect.availability(this.device.reachable));
    this.#say(announcement);
    this.#after(firstStateAfterMs, () => {
      this.#sayState('first');
      this.#repeatEvery(repeatEveryMs);
    });
  }

  /** A message that came in; it may be for somebody else. */
  hear(topic: string, payload: string): void {
    const meaning = this.dialect.understand(topic, payload, this.device.shown);
    if (!meaning) return;
    switch (meaning.type) {
      case 'command':
        this.#command(meaning);
        break;
      case 'query':
        this.#after(this.dialect.answersAfterMs, () => this.#query(meaning));
        break;
      case 'unknown':
        this.#refuse(meaning, meaning.detail);
        break;
      case 'repeat':
        this.#after(meaning.afterMs, () => this.#sayState('repeat'));
        break;
    }
  }

  #command(demand: Demand & { type: 'command' }): void {
    if (!this.device.admit('command')) {
      this.#refuse(demand, 'no response from the device');
      return;
    }
    const answer = this.#receive(demand);
    if (answer?.type === 'error') this.#after(answer.afterMs, () => this.#refuse(demand, 'delivery failed'));
    if (answer?.type !== 'received') return;
    for (const { afterMs, shows } of this.dialect.echoes) {
      this.#after(answer.afterMs + afterMs, () => this.#echo(shows === 'wanted' ? answer.received : {}));
    }
  }

  #receive(demand: Demand & { type: 'command' }): Answer | null {
    try {
      return this.device.receive(demand.body);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#refuse(demand, error.message);
      return null;
    }
  }

  #query(demand: Demand & { type: 'query' }): void {
    if (!this.device.admit('sensors')) {
      this.#refuse(demand, 'no response from the device');
      return;
    }
    const report = this.device.report();
    this.#learn(pick(report.values, demand.fields));
    this.#tell(report.values, 'answer', report.garbled);
  }

  #echo(wanted: State): void {
    if (!this.device.reachable) return;
    this.#learn(wanted);
    this.#tell({ ...this.device.shown, ...wanted }, 'echo');
  }

  #onEvent(event: DeviceEvent): void {
    switch (event.type) {
      case 'shown':
        if (!this.device.reachable) return;
        this.#learn(pick(this.device.shown, event.fields));
        this.#tell(this.device.shown, 'report', event.garbled);
        break;
      case 'reachable':
        this.#say(this.dialect.availability(event.reachable));
        break;
      case 'reset':
        this.#cache = this.device.shown;
        this.greet();
        break;
    }
  }

  #repeatEvery(ms: number): void {
    this.#after(ms, () => {
      this.#sayState('repeat');
      this.#repeatEvery(ms);
    });
  }

  /** Says how it stands, or is believed to stand. */
  #sayState(occasion: Occasion): void {
    if (this.dialect.caches || this.device.reachable) this.#tell(this.device.shown, occasion);
  }

  #learn(values: State): void {
    this.#cache = { ...this.#cache, ...values };
  }

  #tell(shown: State, occasion: Occasion, broken = false): void {
    const messages = this.dialect.state(this.dialect.caches ? this.#cache : shown, occasion);
    this.#say(broken ? messages.map(garbled) : messages);
  }

  #refuse(demand: Demand, detail: string): void {
    this.#after(this.dialect.answersAfterMs, () => this.#say(this.dialect.refuse(demand, detail)));
  }

  #say(messages: readonly Message[]): void {
    for (const message of messages) this.#publish(message);
  }

  #after(ms: number, run: () => void): void {
    this.#agenda.add(this.#clock.now().mono + ms, run);
  }
}
