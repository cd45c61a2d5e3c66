/** What a caller did that cannot be served as asked; the message says what to do next. */
export type UserErrorCode =
  | 'unknown_device'
  | 'unknown_task'
  | 'unknown_field'
  | 'bad_value'
  | 'nothing_to_do'
  | 'key_reused'
  | 'not_waiting'
  | 'not_allowed'
  | 'unknown_token'
  | 'token_conflict'
  | 'too_many_pages'
  | 'store_unavailable'
  | 'shutting_down';

/** A request that is refused. Every door (MCP, HTTP, command line) turns it into its own kind of answer. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly code: UserErrorCode;

  constructor(code: UserErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The daemon cannot start, or cannot go on: one line for the person at the terminal, and the exit code. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Anything thrown, as one line of text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
