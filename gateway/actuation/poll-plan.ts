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
}

/** When the next direct read begins: by the gaps, at the end of a settle time, and once just before the deadline. */
export function nextReadAt(plan: PollPlan): number {
  const base = plan.lastBegan ?? plan.sentAt;
  const gap = plan.gapsMs[Math.min(plan.begun, plan.gapsMs.length - 1)] ?? Number.POSITIVE_INFINITY;
  const last = plan.deadline - plan.leadMs;
  const times = [base + gap];
  if (base < last) times.push(last);
  if (plan.settleDue !== null && plan.settleDue > base) times.push(plan.settleDue);
  return Math.min(...times);
}
