import { setTimeout as delay } from 'node:timers/promises';
import { parseDevice } from '../../gateway/config/load.ts';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { result } from '../../gateway/domain/result.ts';
import type { Case } from './case.ts';
import { type Played, SLACK_MS } from './compare.ts';
import { type CaseGateway, startCaseGateway } from './gateway.ts';
import { addressed, scaled } from './scaled.ts';
import { ScriptedBroker } from './scripted-broker.ts';
import { ScriptedHttp } from './scripted-http.ts';
import { Timeline } from './timeline.ts';

/** Real time after which a command that left and reached nobody begins the situation all the same, in ms. */
const UNDELIVERED_MS = 100;

/** Real time that is waited for a verdict beyond the latest moment that could be right, in ms. */
const PATIENCE_MS = 3_000;

/**
 * Plays one situation against the real gateway, a real HTTP server and a real broker.
 * @param speed how much faster than real it runs
 * @throws ConfigError or StartError where the case's device cannot be carried out
 */
export async function play(situation: Case, speed: number): Promise<Played> {
  const timeline = new Timeline(speed);
  const http = new ScriptedHttp(situation.http, timeline);
  const broker = new ScriptedBroker(situation, timeline);
  const undo: (() => unknown)[] = [() => timeline.stop()];
  try {
    await http.start();
    undo.push(() => http.stop());
    await broker.start();
    undo.push(() => broker.stop());
    const config = parseDevice(addressed(situation.device, http.origin));
    http.describe(config);
    broker.describe(config);
    const gateway = await startCaseGateway(scaled(config, speed), broker.url);
    undo.push(() => gateway.stop());
    gateway.recall(situation.initial);
    await timeline.lead(leadOf(situation), [...http.happenings(), ...broker.happenings()]);
    const seen = await command(gateway, situation, timeline, limitOf(situation, config, speed));
    return { ...seen, commands: [...http.commands, ...broker.commands] };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

/** Gives the command and watches it until its verdict, and on until the event that is expected after it. */
async function command(
  gateway: CaseGateway,
  { set, expect }: Case,
  timeline: Timeline,
  limitMs: number,
): Promise<Omit<Played, 'commands'>> {
  const driftedAt: number[] = [];
  gateway.onDrift(() => driftedAt.push(timeline.elapsed()));
  const settled = settling(gateway, timeline, limitMs);
  await gateway.submit(set);
  const verdict = await settled;
  if (verdict && expect.event) await delay(timeline.realUntil(expect.event.at) + SLACK_MS);
  return { result: verdict && result(verdict.actuation), verdictAt: verdict?.at ?? null, driftedAt };
}

/** The settled command and when it was known to be, or null where that takes too long. */
function settling(
  gateway: CaseGateway,
  timeline: Timeline,
  limitMs: number,
): Promise<{ readonly actuation: Actuation; readonly at: number } | null> {
  let left = false;
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => resolve(null), limitMs);
    gateway.subscribe((actuation) => {
      if (actuation.sentAt && !left) {
        left = true;
        const at = performance.now();
        setTimeout(() => timeline.begin(at), UNDELIVERED_MS).unref();
      }
      if (!actuation.outcome) return;
      clearTimeout(giveUp);
      resolve({ actuation, at: timeline.elapsed() });
    });
  });
}

/** How long before the command the situation begins, in its own ms. */
function leadOf({ mqtt, http }: Case): number {
  return Math.max(0, ...mqtt.map(({ at }) => -at), ...http.map(({ from }) => -from));
}

/** How long to wait for a verdict, in real ms. */
function limitOf({ expect }: Case, { verify }: DeviceConfig, speed: number): number {
  return Math.max(expect.not_after ?? 0, verify.deadline + 2 * verify.settle) / speed + PATIENCE_MS;
}
