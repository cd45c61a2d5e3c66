import type { Agenda } from './agenda.ts';
import type { FieldValue, State } from './model.ts';

/** What a device's sensors show where it is not the truth: an echo of a command, or a value that is out of date. */
export class Sensors {
  readonly #agenda: Agenda;
  readonly #shown = new Map<string, { readonly value: FieldValue }>();

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  /** Shows these values until `mono`, whatever the truth is. */
  pretend(values: State, mono: number): void {
    for (const [name, value] of Object.entries(values)) {
      const shown = { value };
      this.#shown.set(name, shown);
      this.#agenda.add(mono, () => {
        // A later pretence has its own end.
        if (this.#shown.get(name) === shown) this.#shown.delete(name);
      });
    }
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
