import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { loadConfig } from '../../gateway/config/load.ts';
import type { Gateway } from '../../gateway/main.ts';
import { createTask } from '../support/rpc.ts';
import { type Figure, median, quantile } from './figure.ts';
import { startOwnGateway } from './own-gateway.ts';
import type { Effort } from './workspace.ts';

/** A device that pushes, and whose word stands at once. */
const HOME = `
mqtt: { embedded: { port: 0 }, discovery: false }
devices:
  ac:
    kind: climate
    fields:
      target_temperature:
        { write: { topic: bench/ac/set, payload: "{{ value }}", qos: 1 },
          read: { topic: bench/ac/state, path: temperature }, min: 16, max: 30, step: 1, unit: C }
    verify: { echo: 0s, settle: 0s, deadline: 5s, watch: 0s }
`;

/** How long the device takes to act, in ms: by then the gateway has dealt with the send. */
const ACTS_AFTER_MS = 20;

const WARM_UP = 10;

/**
 * How long it takes from the message that decides, as it is handed to the broker's socket, to the verdict on disk: through
 * the embedded broker, the link, the reducer and the store. Device and gateway share this process, so they share its clock.
 */
export async function measurePush(folder: string, { quick }: Effort): Promise<Figure[]> {
  const file = join(folder, 'push.yaml');
  await writeFile(file, HOME);
  const gateway = await startOwnGateway(await loadConfig(file, {}), folder, 'push');
  const device = await connectAsync(String(gateway.brokerUrl));
  // Its socket is not to hold back a message until the one before it is acknowledged.
  if (device.stream instanceof Socket) device.stream.setNoDelay(true);
  await device.subscribeAsync('bench/ac/set', { qos: 1 });
  const samples: number[] = [];
  for (let round = -WARM_UP; round < (quick ? 20 : 200); round += 1) {
    const wanted = 20 + (Math.abs(round) % 2);
    const settled = settledAt(gateway);
    const [payload] = await Promise.all([
      heard(device),
      createTask(gateway.mcpUrl, 'set_climate', { target_temperature: wanted }),
    ]);
    await sleep(ACTS_AFTER_MS);
    const published = performance.now();
    device.publish('bench/ac/state', JSON.stringify({ temperature: Number(payload) }));
    const ms = (await settled) - published;
    if (round >= 0) samples.push(ms);
  }
  await device.endAsync();
  await gateway.close();
  return [
    {
      id: 'push_median',
      title: 'from the deciding MQTT message to the stored verdict, median',
      value: median(samples),
      unit: 'ms',
      target: { at: 'most', value: 10 },
    },
    { id: 'push_p95', title: 'the same, p95', value: quantile(samples, 0.95), unit: 'ms' },
  ];
}

/** The payload of the next message. */
function heard(device: MqttClient): Promise<string> {
  return new Promise((resolve) => device.once('message', (_topic, payload) => resolve(payload.toString())));
}

/** When the next command's verdict is on disk. @throws Error where it is not verified */
function settledAt(gateway: Gateway): Promise<number> {
  return new Promise((resolve, reject) => {
    const end = gateway.subscribe(({ outcome }) => {
      if (!outcome) return;
      const at = performance.now();
      end();
      if (outcome.type === 'verdict' && outcome.verdict === 'verified') resolve(at);
      else reject(new Error(`a command of the bench was not verified: ${JSON.stringify(outcome)}`));
    });
  });
}
