import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogConfig } from './config/schema-log.ts';
import { LOG_AREAS, type Log, type LogArea } from './domain/log.ts';
import { masked } from './domain/mask.ts';

/** The logs of all areas: lines of JSON to one place, in which no secret can be read. */
export class Logs {
  readonly #areas: ReadonlyMap<LogArea, Logger>;
  readonly #secrets = new Set<string>();

  /** @param destination standard error in the daemon */
  constructor(destination: DestinationStream) {
    // Masked as a line, when everything is in its place: a secret may be part of an error, an address or a topic.
    const root = pino({}, { write: (line) => destination.write(masked(line, this.#secrets)) });
    this.#areas = new Map(LOG_AREAS.map((area) => [area, root.child({ area })]));
  }

  of(area: LogArea): Log {
    return this.#logger(area);
  }

  /** How much is said from here on, also by the logs that have been handed out; at first it is `info` everywhere. */
  setLevels({ level, areas }: LogConfig): void {
    for (const area of LOG_AREAS) this.#logger(area).level = areas[area] ?? level;
  }

  /** Takes in what must not be read in any line. What was secret once stays it. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret);
  }

  #logger(area: LogArea): Logger {
    const logger = this.#areas.get(area);
    if (!logger) throw new TypeError(`there is no area ${area}`);
    return logger;
  }
}
