import { parseDevice } from '../../gateway/config/load.ts';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { result } from '../../gateway/domain/result.ts';
import type { Clock } from '../../gateway/domain/time.ts';
import { type Undo, undoAll } from '../../gateway/undo.ts';
import type { Case } from './case.ts';
import { type Played, SLACK_MS } from './compare.ts';
import { type CaseGateway, startCaseGateway } from './gateway.ts';
import { addressed, scaled } from './scaled.ts';
import { ScriptedBroker } from './scripted-broker.ts';
import { ScriptedHttp } from './scripted-http.ts';
import { Timeline } from './timeline.ts';

/** Time in which the retained messages of the broker reach the gateway, in ms: `initial` is newer than they are. */
const RETAINED_MS = 40;

/** Time after which a command that left and reached nobody begins the situation all the same, in ms. */
const UNDELIVERED_MS = 100;

/** Time that is waited for a verdict beyond the latest moment that could be right, in ms. */
const PATIENCE_MS = 3_000;

/**
 * Plays one situation against the real gateway, a real HTTP server and a real broker.
 * @param clock the gateway's and the device's
 * @param speed how much faster than the clock the situation runs
 * @throws ConfigError or StartError where the case's device cannot be carried out
 */
export async function play(situation: Case, clock: Clock, speed: number): Promise<Played> {
  const timeline = new Timeline(clock, speed);
  const http = new ScriptedHttp(situation.http, timeline);
  const broker = new ScriptedBroker(situation, timeline);
  const undo: Undo[] = [];
  try {
    await http.start();
    undo.push(() => http.stop());
    await broker.start();
    undo.push(() => broker.stop());
    const config = parseDevice(addressed(situation.device, http.origin));
    http.describe(config);
    broker.describe(config);
    const gateway = await startCaseGateway(scaled(config, speed), broker.port, clock);
    undo.push(() => gateway.stop());
    await passed(clock, situation.retained.length > 0 ? RETAINED_MS : 0);
    gateway.recall(situation.initial);
    await timeline.lead(leadOf(situation), [...http.happenings(), ...broker.happenings()]);
    const limitMs = limitOf(situation, config, speed);
    const driftLatency = driftLatencyOf(situation, config);
    const seen = await command(gateway, situation, { clock, timeline, limitMs, driftLatency });
    return { ...seen, commands: [...http.commands, ...broker.commands], driftLatency };
  } finally {
    timeline.stop();
    await undoAll(undo);
  }
}

interface Times {
  readonly clock: Clock;
  readonly timeline: Timeline;
  /** How long to wait for a verdict, in ms of the clock. */
  readonly limitMs: number;
  readonly driftLatency: number;
}

/** Gives the command and watches it until its verdict, and on until the event that is expected after it. */
async function command(
  gateway: CaseGateway,
  { set, expect }: Case,
  times: Times,
): Promise<Pick<Played, 'result' | 'verdictAt' | 'driftedAt'>> {
  const { clock, timeline, driftLatency } = times;
  const driftedAt: number[] = [];
  let onDrift = () => {};
  gateway.onDrift(() => {
    driftedAt.push(timeline.elapsed());
    onDrift();
  });
  const settled = settling(gateway, times);
  await gateway.submit(set);
  const verdict = await settled;
  if (verdict && expect.event && driftedAt.length === 0) {
    const { at } = expect.event;
    await new Promise<void>((resolve) => {
      onDrift = resolve;
      timeline.after(at + driftLatency - timeline.elapsed(), () => void passed(clock, SLACK_MS).then(resolve));
    });
  }
  return { result: verdict && result(verdict.actuation), verdictAt: verdict?.at ?? null, driftedAt };
}

/** The settled command and when it was known to be, or null where that takes too long. */
function settling(
  gateway: CaseGateway,
  { clock, timeline, limitMs }: Times,
): Promise<{ readonly actuation: Actuation; readonly at: number } | null> {
  let left = false;
  return new Promise((resolve) => {
    const { mono } = clock.now();
    const cancel = clock.at(mono + limitMs, () => resolve(null));
    gateway.subscribe((actuation) => {
      const { sentAt } = actuation;
      if (sentAt && !left) {
        left = true;
        clock.at(sentAt.mono + UNDELIVERED_MS, () => timeline.begin(sentAt.mono));
      }
      if (!actuation.outcome) return;
      cancel();
      resolve({ actuation, at: timeline.elapsed() });
    });
  });
}

/** How long before the command the situation begins, in its own ms. */
function leadOf({ mqtt, http }: Case): number {
  return Math.max(0, ...mqtt.map(({ at }) => -at), ...http.map(({ from }) => -from));
}

function limitOf({ expect }: Case, { verify }: DeviceConfig, speed: number): number {
  return Math.max(expect.not_after ?? 0, verify.deadline + 2 * verify.settle) / speed + PATIENCE_MS;
}

/** A device that does not speak by itself is found out at the next look; only its `period` says when that is. */
function driftLatencyOf({ set }: Case, { fields, verify }: DeviceConfig): number {
  const reads = Object.keys(set).map((name) => fields[name]?.read);
  return Math.max(0, ...reads.map((read) => (read?.request === undefined ? 0 : (read.period ?? verify.watch))));
}

async function passed(clock: Clock, ms: number): Promise<void> {
  await new Promise<void>((resolve) => clock.at(clock.now().mono + ms, resolve));
}
