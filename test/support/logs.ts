import type { Log } from '../../gateway/domain/log.ts';

/** A log that nobody reads. */
export const quietLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** One line of a log. */
export interface LogLine {
  readonly level: keyof Log;
  readonly details: object;
  readonly message: string;
}

/** A log that can be read, and waited for. */
export class RecordingLog implements Log {
  readonly lines: LogLine[] = [];
  readonly #waiting: (() => void)[] = [];

  debug(details: object, message: string): void {
    this.#add({ level: 'debug', details, message });
  }

  info(details: object, message: string): void {
    this.#add({ level: 'info', details, message });
  }

  warn(details: object, message: string): void {
    this.#add({ level: 'warn', details, message });
  }

  error(details: object, message: string): void {
    this.#add({ level: 'error', details, message });
  }

  /** The first line that fits, as soon as there is one. */
  async line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #add(line: LogLine): void {
    this.lines.push(line);
    for (const goOn of this.#waiting.splice(0)) goOn();
  }
}
