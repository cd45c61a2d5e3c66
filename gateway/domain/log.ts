/** How much is said, from everything to nothing. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Who says something: a folder of the gateway, or the gateway as a whole. Each can have a level of its own. */
export const LOG_AREAS = [
  'gateway',
  'transports',
  'devices',
  'actuation',
  'store',
  'mcp',
  'http',
  'dashboard',
] as const;
export type LogArea = (typeof LOG_AREAS)[number];

/** Where the gateway says what happens to it; structured, one line an event. Secrets are masked in the sink. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The log of an area. */
export type LogOf = (area: LogArea) => Log;
