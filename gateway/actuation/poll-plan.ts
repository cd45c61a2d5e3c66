import type { Window } from '../domain/habit.ts';

/** What the time of the next direct read depends on; all times in ms on the monotonic clock. */
export interface PollPlan {
  readonly sentAt: number;
  readonly deadline: number;
  /** Gaps between the beginnings of reads; the last one repeats. Empty: only the read before the deadline. */
  readonly gapsMs: readonly number[];
  /** Reads begun so far, and when the latest of them began. */
  readonly begun: number;
  readonly lastBegan: number | null;
  /** How long before the deadline the last read begins, so that its answer is there in time. */
  readonly leadMs: number;
  /** When a settle time ends, at which a value that is only polled has to be confirmed. */
  readonly settleDue: number | null;
  /** When the device usually acts, after the send; null: not known yet. */
  readonly expected: Window | null;
}

/** How many steps past its usual time a device is still looked at closely. */
const STEPS_PAST = 3;

/** A read before the usual time is worth its cost only while that is still far off: in this first part of the wait. */
const EARLY_PART = 0.6;

/**
 * When the next direct read begins: closely round the time at which the device usually acts and by the gaps elsewhere,
 * at the end of a settle time, and once just before the deadline.
 */
export function nextReadAt(plan: PollPlan): number {
  const base = plan.lastBegan ?? plan.sentAt;
  const last = plan.deadline - plan.leadMs;
  const times = [regularReadAt(plan, base)];
  if (base < last) times.push(last);
  if (plan.settleDue !== null && plan.settleDue > base) times.push(plan.settleDue);
  return Math.min(...times);
}

function regularReadAt({ sentAt, gapsMs, begun, expected }: PollPlan, base: number): number {
  const gap = gapsMs[Math.min(begun, gapsMs.length - 1)] ?? Number.POSITIVE_INFINITY;
  if (!expected) return base + gap;
  const from = sentAt + expected.fromMs;
  const to = sentAt + expected.toMs + STEPS_PAST * expected.stepMs;
  // One early look, for a device that is quicker than usual today; then none until its time has come.
  if (base < from) return begun === 0 && gap <= EARLY_PART * expected.fromMs ? base + gap : from;
  return base + (base < to ? expected.stepMs : gap);
}
