import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogConfig } from './config/schema-log.ts';
import { LOG_AREAS, type Log, type LogArea } from './domain/log.ts';
import { masked } from './domain/mask.ts';

/** How much is said, and what must not be read in it. */
export interface LogSettings extends LogConfig {
  readonly secrets: readonly string[];
}

/** The logs of all areas: lines of JSON to one place, in which no secret can be read. */
export class Logs {
  readonly #areas: ReadonlyMap<LogArea, Logger>;
  #secrets: readonly string[] = [];

  /** @param destination standard error in the daemon */
  constructor(settings: LogSettings, destination: DestinationStream) {
    // Masked as a line, when everything is in its place: a secret may be part of an error, an address or a topic.
    const root = pino({}, { write: (line) => destination.write(masked(line, this.#secrets)) });
    this.#areas = new Map(LOG_AREAS.map((area) => [area, root.child({ area })]));
    this.configure(settings);
  }

  of(area: LogArea): Log {
    return this.#logger(area);
  }

  /** Takes over other levels and secrets, for the logs that have been handed out too. What was secret stays secret. */
  configure({ level, areas, secrets }: LogSettings): void {
    this.#secrets = [...new Set([...this.#secrets, ...secrets])];
    for (const area of LOG_AREAS) this.#logger(area).level = areas[area] ?? level;
  }

  #logger(area: LogArea): Logger {
    const logger = this.#areas.get(area);
    if (!logger) throw new TypeError(`there is no area ${area}`);
    return logger;
  }
}
