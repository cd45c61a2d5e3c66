import type { Clock } from '../domain/time.ts';

/**
 * Waits between half of the time and all of it, so that those whom one fault cut off do not all come back at once; no
 * longer than until `signal` aborts.
 * @param ms the whole of the time
 */
export async function jitteredPause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.at(clock.now().mono + ms * (0.5 + Math.random() / 2), end);
    signal.addEventListener('abort', end);
  });
}
