import type { Commands } from '../actuation/commands.ts';
import { type Actuation, isSettled } from '../domain/actuation.ts';
import type { PastTask } from '../domain/history.ts';
import type { Clock } from '../domain/time.ts';
import { commandWire } from './command-wire.ts';
import type { Reader } from './reader.ts';
import type { CommandWire } from './wire.ts';

/** Commands as their readers see them, with what is known beside their records. */
export class CommandView {
  readonly #commands: Commands;
  readonly #clock: Clock;

  constructor(commands: Commands, clock: Clock) {
    this.#commands = commands;
    this.#clock = clock;
  }

  /** A command as it is now. */
  async now(actuation: Actuation, reader: Reader): Promise<CommandWire> {
    // Before its verdict a command has no aftermath.
    const aftermath = isSettled(actuation) ? await this.#commands.aftermath(actuation.taskId, null) : [];
    return this.past({ actuation, aftermath }, reader);
  }

  /** The same of a command whose aftermath is known. */
  past({ actuation, aftermath }: PastTask, reader: Reader): CommandWire {
    const fields = actuation.fields.map((track) => track.field);
    const usualMs = this.#commands.usualMs(actuation.deviceId, fields);
    return commandWire(actuation, reader, { usualMs, drifts: aftermath.length, now: this.#clock.now() });
  }
}
