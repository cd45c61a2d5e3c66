import type { RequestHandler } from 'express';
import { Registry } from 'prom-client';
import type { Actuation } from '../domain/actuation.ts';
import { CommandMetrics } from './metrics-commands.ts';
import { type HomeSources, homeMetrics } from './metrics-home.ts';
import { processMetrics } from './metrics-process.ts';
import { StoreMetrics, type StoreSources } from './metrics-store.ts';

/** Everything that is looked at when somebody asks. */
export type MetricsSources = HomeSources & StoreSources;

/**
 * What the gateway counts and measures, for Prometheus. Names begin with `readback_` and end with their unit; labels are
 * words of the gateway, kinds and ids of devices, and never a task, a value or a person.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #commands = new CommandMetrics(this.#registry);
  readonly #store = new StoreMetrics(this.#registry);
  #stop: () => void = () => {};

  /** Begins to measure; what is shown from here on is asked of `sources`. */
  start(sources: MetricsSources): void {
    homeMetrics(this.#registry, sources);
    this.#store.show(sources);
    this.#stop = processMetrics(this.#registry);
  }

  stop(): void {
    this.#stop();
  }

  /** Takes in a new durable state of a command. */
  command(actuation: Actuation): void {
    this.#commands.hear(actuation);
  }

  /** Something was to be stored, and is or could not be. */
  stored(change: { readonly tookMs: number; readonly ok: boolean }): void {
    this.#store.stored(change);
  }

  /** Answers `/metrics`, in the text format of Prometheus. */
  readonly serve: RequestHandler = async (_req, res) => {
    const text = await this.#registry.metrics();
    res.set('content-type', this.#registry.contentType).send(text);
  };
}
