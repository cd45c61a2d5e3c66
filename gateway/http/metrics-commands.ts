import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Actuation, isSettled, PHASES, type Phase } from '../domain/actuation.ts';

/** From a fan that answers at once to an air conditioner that ramps for minutes, in s. */
const VERDICT_BUCKETS_S = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];

/** Counts commands as they come, go on and end. */
export class CommandMetrics {
  /** Task → its phase, of those that are open. */
  readonly #open = new Map<string, Phase>();
  readonly #commands: Counter<'kind'>;
  readonly #ended: Counter<'kind' | 'verdict' | 'reason'>;
  readonly #reads: Counter<'kind'>;
  readonly #verdictTime: Histogram<'kind'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#commands = new Counter({
      name: 'readback_commands_total',
      help: 'Commands that were taken, by kind of device.',
      labelNames: ['kind'],
      registers,
    });
    this.#ended = new Counter({
      name: 'readback_commands_ended_total',
      help: 'Commands that ended, by verdict and reason; without a verdict "cancelled" or "failed".',
      labelNames: ['kind', 'verdict', 'reason'],
      registers,
    });
    this.#reads = new Counter({
      name: 'readback_reads_total',
      help: 'Direct reads that the commands took which have ended.',
      labelNames: ['kind'],
      registers,
    });
    this.#verdictTime = new Histogram({
      name: 'readback_verdict_seconds',
      help: 'From the send to the verdict.',
      labelNames: ['kind'],
      buckets: VERDICT_BUCKETS_S,
      registers,
    });
    const open = this.#open;
    new Gauge({
      name: 'readback_open_tasks',
      help: 'Commands under way, by phase: "queued" is the depth of the queue, "awaiting_approval" the questions that wait.',
      labelNames: ['phase'],
      registers,
      collect() {
        const phases = [...open.values()];
        for (const phase of PHASES) {
          if (phase !== 'settled') this.set({ phase }, phases.filter((each) => each === phase).length);
        }
      },
    });
  }

  hear(actuation: Actuation): void {
    const { taskId, kind, phase, restarts, outcome } = actuation;
    // One that is heard of for the first time and had a restart behind it was counted before that.
    if (!this.#open.has(taskId) && restarts === 0) this.#commands.inc({ kind });
    this.#open.set(taskId, phase);
    if (!isSettled(actuation)) return;
    this.#open.delete(taskId);
    const verdict = outcome?.type === 'verdict' ? outcome.verdict : outcome?.type;
    const reason = (outcome?.type === 'verdict' && outcome.reason) || '';
    this.#ended.inc({ kind, verdict: verdict ?? '', reason });
    this.#reads.inc({ kind }, actuation.reads);
    const { sentAt } = actuation;
    if (sentAt && outcome?.type === 'verdict') {
      this.#verdictTime.observe({ kind }, Math.max(0, outcome.at.mono - sentAt.mono) / 1_000);
    }
  }
}
