import { readFileSync } from 'node:fs';
import type { Clock } from '../domain/time.ts';

/** Longest delay that a Node timer takes, in ms; longer ones are set again on the way. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The machine's own clocks. `process.hrtime` counts from the boot on Linux, so that its values go on across restarts of
 * the daemon; the boot id tells when they do not.
 */
export function systemClock(): Clock {
  const mono = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  return {
    boot: bootId(),
    now: () => ({ mono: mono(), wall: Date.now() }),
    at(time, run) {
      let timer: NodeJS.Timeout;
      const set = () => {
        const delay = Math.ceil(time - mono());
        timer = setTimeout(() => (time <= mono() ? run() : set()), Math.min(Math.max(delay, 0), MAX_TIMER_MS));
      };
      set();
      return () => clearTimeout(timer);
    },
  };
}

/** Linux's boot id; elsewhere one of this process, so that a restart counts as a new boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process-${process.pid}-${process.hrtime.bigint()}`;
  }
}
