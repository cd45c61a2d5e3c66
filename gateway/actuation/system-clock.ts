import { readFileSync } from 'node:fs';
import type { TaskStore } from '../domain/store.ts';
import { type Clock, instant } from '../domain/time.ts';

/** Longest delay that a Node timer takes, in ms; longer ones are set again on the way. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The machine's own clocks. `process.hrtime` counts from the boot on Linux, so that its values go on across restarts of
 * the daemon; the boot id tells when they do not.
 * @param newestKept the latest wall time that the gateway has kept, in ms: an earlier one is doubted
 */
export function systemClock(newestKept = 0): Clock {
  const mono = () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  return {
    boot: bootId(),
    now: () => instant(mono(), Date.now(), newestKept),
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

/** The latest wall time of the newest tasks, in ms; 0 where there are none whose clock was set. */
export async function newestKept(tasks: TaskStore): Promise<number> {
  const newest = await tasks.list({ limit: 50 });
  const walls = newest.flatMap(({ updatedAt }) => (updatedAt.clock === 'unset' ? [] : [updatedAt.wall]));
  return Math.max(0, ...walls);
}

/** Linux's boot id; elsewhere one of this process, so that a restart counts as a new boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process-${process.pid}-${process.hrtime.bigint()}`;
  }
}
