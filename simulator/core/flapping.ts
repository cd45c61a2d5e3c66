import type { Agenda } from './agenda.ts';

/** A link that is down and up in turn. */
export class Flapping {
  readonly #agenda: Agenda;
  /** Told at the end of each outage; whether another one follows. */
  readonly #goesOn: () => boolean;
  readonly #turned: () => void;
  #down = false;
  #callOff: (() => void) | null = null;

  constructor(agenda: Agenda, told: { goesOn: () => boolean; turned: () => void }) {
    this.#agenda = agenda;
    this.#goesOn = told.goesOn;
    this.#turned = told.turned;
  }

  get down(): boolean {
    return this.#down;
  }

  /** Begins with an outage at `mono`, which is now. */
  start(mono: number, everyMs: number): void {
    this.stop();
    this.#down = true;
    this.#turnAt(mono + everyMs, everyMs);
  }

  /** Leaves the link up. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#down = false;
  }

  #turnAt(mono: number, everyMs: number): void {
    this.#callOff = this.#agenda.add(mono, () => {
      this.#down = !this.#down;
      if (this.#down || this.#goesOn()) this.#turnAt(mono + everyMs, everyMs);
      this.#turned();
    });
  }
}
