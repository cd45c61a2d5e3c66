import { InputError, messageOf, StartError } from './core/errors.ts';

/** Calls the control API of a simulator that runs somewhere. */
export class ControlClient {
  readonly #url: string;

  /** @param url as the simulator printed it */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  /**
   * @param path below /sim
   * @throws StartError where nothing answers, InputError with the simulator's own words where it refuses
   */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}/sim${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }).catch((error: unknown) => {
      throw new StartError(`No simulator answers at ${this.#url}: start one, or name another with --url.`, {
        cause: error,
      });
    });
    const text = await response.text();
    if (!response.ok) throw new InputError(refusalIn(text) ?? `${this.#url} answered ${response.status}`);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new StartError(`What answers at ${this.#url} is no simulator: ${messageOf(error)}`, { cause: error });
    }
  }
}

function refusalIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null && 'error' in answer) return String(answer.error);
  } catch {
    // No JSON: the status has to do.
  }
  return undefined;
}
