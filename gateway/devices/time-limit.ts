import { createContext, Script } from 'node:vm';

/**
 * What an honest template is done with, in ms, its first rendering on a Raspberry Pi too: had it less than this on the
 * processor, the machine had no time.
 */
const LEAST_CPU_MS = 100;

export type Limited<Result> =
  | { readonly done: true; readonly result: Result }
  | { readonly done: false; readonly starved: boolean };

// V8 can break off what runs inside a script, WebAssembly included, and from outside of a script nothing can.
const context = createContext({ work: null });
const script = new Script('work()');

/**
 * Runs synchronous work and breaks it off when it takes too long; what was broken off is left in the middle of things.
 * `starved`: the time passed, but on a machine so busy that the work had little of it.
 * @throws what `work` throws
 */
export function withTimeLimit<Result>(work: () => Result, limitMs: number): Limited<Result> {
  const before = process.cpuUsage();
  context['work'] = work;
  try {
    return { done: true, result: script.runInContext(context, { timeout: limitMs }) as Result };
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const { user, system } = process.cpuUsage(before);
    return { done: false, starved: (user + system) / 1000 < LEAST_CPU_MS };
  } finally {
    context['work'] = null;
  }
}

/** The error comes from the script's own realm, where `Error` is another class. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
