import type { Agenda } from './agenda.ts';
import type { FieldValue, State } from './model.ts';

/** What a device's sensors show where it is not the truth: an echo of a command, or a value that is out of date. */
export class Sensors {
  readonly #agenda: Agenda;
  readonly #ended: () => void;
  readonly #shown = new Map<string, { readonly value: FieldValue }>();

  /** @param ended told when a pretence is over */
  constructor(agenda: Agenda, ended: () => void) {
    this.#agenda = agenda;
    this.#ended = ended;
  }

  /** Shows these values until `mono`, whatever the truth is. */
  pretend(values: State, mono: number): void {
    const pretence = Object.entries(values).map(([name, value]) => [name, { value }] as const);
    for (const [name, shown] of pretence) this.#shown.set(name, shown);
    this.#agenda.add(mono, () => {
      for (const [name, shown] of pretence) {
        // A later pretence has its own end.
        if (this.#shown.get(name) === shown) this.#shown.delete(name);
      }
      this.#ended();
    });
  }

  /** Shows the truth of these fields again. */
  trust(names: readonly string[]): void {
    for (const name of names) this.#shown.delete(name);
  }

  read(actual: State): State {
    const shown = [...this.#shown].map(([name, { value }]) => [name, value] as const);
    return { ...actual, ...Object.fromEntries(shown) };
  }
}
