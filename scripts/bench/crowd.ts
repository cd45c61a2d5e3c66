import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import * as z from 'zod';
import { cn105Bridge } from '../../simulator/mqtt/cn105.ts';
import type { Message } from '../../simulator/mqtt/message.ts';
import type { StationPlan } from '../../simulator/mqtt/station.ts';
import { copyOfZigbee, ZIGBEE_DEVICES } from '../../simulator/mqtt/zigbee-devices.ts';
import { zigbeeBridge } from '../../simulator/mqtt/zigbee2mqtt.ts';
import { startListeningProgram } from '../support/programs.ts';
import type { Figure } from './figure.ts';
import type { Effort } from './workspace.ts';

const DEVICES = 200;
const MESSAGES_PER_SECOND = 10;

/** Devices that share a connection, as they do behind a bridge. */
const PER_CONNECTION = 10;

/** How long the messages under way may take to arrive, in ms. */
const ARRIVAL_MS = 10_000;

const figuresSchema = z.object({
  devices: z.int(),
  heard: z.int(),
  delayP99Ms: z.number(),
  utilization: z.number(),
});

/** One of many devices of a kind. */
interface Member {
  readonly announcement: readonly Message[];
  /** What it says for the nth time, something new each time. */
  state(round: number): readonly Message[];
}

/**
 * Two hundred devices that announced themselves and say ten times a second how they stand: whether the gateway hears every
 * message, and how long it keeps everything else waiting. Half are Zigbee lamps, half are heat pumps, whose templates
 * are the longest that are common.
 */
export async function measureCrowd(folder: string, { quick }: Effort): Promise<Figure[]> {
  const { program, url } = await startListeningProgram('scripts/bench/crowd-gateway.js', [folder]);
  const clients: MqttClient[] = [];
  const broker = (await fetch(url)).headers.get('broker') ?? '';
  const members = Array.from({ length: DEVICES }, (_, index) => (index % 2 ? heatPump(index) : lamp(index)));
  for (let index = 0; index < DEVICES; index += PER_CONNECTION) clients.push(await connectAsync(broker));
  const publish = (index: number, messages: readonly Message[]) => {
    const client = clients[Math.floor(index / PER_CONNECTION)];
    for (const { topic, payload, retain } of messages) client?.publish(topic, payload, { qos: 0, retain });
    return messages.length;
  };
  for (const [index, member] of members.entries()) publish(index, member.announcement);
  await until(url, ({ devices }) => devices === DEVICES);

  // The first second is for the compilers.
  let sent = await speak(members, publish, 1_000, 0);
  await until(url, ({ heard }) => heard >= sent);
  await fetch(url, { method: 'DELETE' });
  const begun = performance.now();
  sent = await speak(members, publish, quick ? 1_000 : 8_000, MESSAGES_PER_SECOND);
  const rate = sent / ((performance.now() - begun) / 1_000);
  const { heard, delayP99Ms, utilization } = await until(url, (figures) => figures.heard >= sent);
  await Promise.all(clients.map((client) => client.endAsync(true)));
  await program.end('SIGTERM');
  return [
    { id: 'crowd_rate', title: `messages of ${DEVICES} devices on one broker`, value: rate, unit: 'per second' },
    {
      id: 'crowd_lost',
      title: 'messages among them that the gateway did not hear',
      value: sent - heard,
      unit: 'messages',
      target: { at: 'most', value: 0 },
    },
    {
      id: 'crowd_delay',
      title: "the gateway's event loop meanwhile, delay p99",
      value: delayP99Ms,
      unit: 'ms',
      target: { at: 'most', value: 50 },
    },
    { id: 'crowd_busy', title: 'part of the time that it is busy', value: utilization, unit: 'times' },
  ];
}

/** Lets all of them speak in turn, evenly. @returns how many messages they sent */
async function speak(
  members: readonly Member[],
  publish: (index: number, messages: readonly Message[]) => number,
  forMs: number,
  firstRound: number,
): Promise<number> {
  const gapMs = 1_000 / (members.length * MESSAGES_PER_SECOND);
  const begun = performance.now();
  let sent = 0;
  for (let turn = 0; turn * gapMs < forMs; ) {
    for (; turn * gapMs < Math.min(forMs, performance.now() - begun); turn += 1) {
      const index = turn % members.length;
      const round = firstRound + Math.floor(turn / members.length);
      sent += publish(index, members[index]?.state(round) ?? []);
    }
    await sleep(5);
  }
  return sent;
}

/** Looks until it is so, or the time is up. @returns the last look */
async function until(url: string, isSo: (figures: z.output<typeof figuresSchema>) => boolean) {
  const end = performance.now() + ARRIVAL_MS;
  for (;;) {
    const figures = figuresSchema.parse(await (await fetch(url)).json());
    if (isSo(figures) || performance.now() > end) return figures;
    await sleep(50);
  }
}

function heatPump(number: number): Member {
  return member(cn105Bridge(number + 1), (round) => ({ temperature: 18 + (round % 20) / 2 }));
}

function lamp(number: number): Member {
  const lamps = ZIGBEE_DEVICES.filter(({ component }) => component === 'light');
  return member(zigbeeBridge(lamps.map((each) => copyOfZigbee(each, number + 1))), (round) => ({
    state: 'ON',
    brightness: 1 + (round % 250),
  }));
}

/** The first device of a station, saying something new each time. */
function member(
  { dialects: [dialect] }: StationPlan,
  change: (round: number) => Readonly<Record<string, string | number>>,
): Member {
  if (!dialect) throw new Error('the simulator has no such device');
  return {
    announcement: dialect.announcement,
    state: (round) => dialect.state({ ...dialect.model.start, ...change(round) }, 'report'),
  };
}
