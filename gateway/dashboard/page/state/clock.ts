import { signal } from '@preact/signals';

/** The page shows seconds; more often nothing has to be drawn again. */
const TICK_MS = 1_000;

/** The gateway's wall clock minus this browser's monotonic one, in ms; null before the gateway has told the time. */
let offsetMs: number | null = null;

/** The time by the gateway's clock, in ms since 1970, moved on once a second. A phone's own clock may be wrong. */
export const now = signal(Date.now());

/** Takes over the gateway's time from one of its messages. */
export function setClock(iso: string): void {
  const told = Date.parse(iso) - performance.now();
  // A message that was under way for long is no reason to turn the time back.
  if (offsetMs === null || told > offsetMs || offsetMs - told > TICK_MS) offsetMs = told;
  const next = gatewayNow();
  if (Math.abs(next - now.peek()) > TICK_MS) now.value = next;
}

/** The gateway's time at this moment, in ms since 1970. */
export function gatewayNow(): number {
  return offsetMs === null ? Date.now() : performance.now() + offsetMs;
}

/** Begins to move `now` on. */
export function startClock(): void {
  setInterval(() => {
    now.value = gatewayNow();
  }, TICK_MS);
}
