import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How often the event loop is tried, in ms: seldom enough that an idle Raspberry Pi stays idle. */
const RESOLUTION_MS = 50;

/** Shows how the process is. @returns a function that ends the measuring */
export function processMetrics(registry: Registry): () => void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  new Gauge({
    name: 'readback_loop_delay_seconds',
    help: 'How much later than due the event loop came to its work since the last look, by quantile.',
    labelNames: ['quantile'],
    registers,
    collect() {
      const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
      for (const quantile of [0.5, 0.9, 0.99]) this.set({ quantile }, late(delay.percentile(quantile * 100)));
      this.set({ quantile: 1 }, late(delay.max));
      delay.reset();
    },
  });
  new Gauge({
    name: 'readback_memory_bytes',
    help: 'Memory of the process: "resident" in all, "heap" of that what JavaScript uses.',
    labelNames: ['part'],
    registers,
    collect() {
      const { rss, heapUsed } = process.memoryUsage();
      this.set({ part: 'resident' }, rss);
      this.set({ part: 'heap' }, heapUsed);
    },
  });
  new Counter({
    name: 'readback_cpu_seconds_total',
    help: 'Time of the processor that the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'readback_start_time_seconds',
    help: 'When the process was started, in seconds since 1970 by the wall clock.',
    registers,
  }).set(Math.round((Date.now() - process.uptime() * 1_000) / 1_000));
  return () => delay.disable();
}
