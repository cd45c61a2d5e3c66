/** Where the gateway says what happens to it; structured, one line an event. Secrets are masked in the sink. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
