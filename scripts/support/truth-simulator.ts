/**
 * The simulator as a process of its own that outlives every gateway. The whole of its ground truth goes to a file, line by
 * line: the log that the control API shows keeps only the latest.
 */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { startSimulator } from '../../simulator/start.ts';

const settingsSchema = z.object({
  truthFile: z.string(),
  seed: z.int(),
  copies: z.int().default(1),
  delayMs: z.number().default(4_000),
  jitterMs: z.number().default(0),
  /** Devices that take another time, in ms. */
  delaysMs: z.record(z.string(), z.number()).default({}),
  /** Without it the simulator brings its own. */
  brokerUrl: z.string().optional(),
});

/** What the process is given, as JSON in its first argument. */
export type TruthSimulatorSettings = z.input<typeof settingsSchema>;

const settings = settingsSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
const { truthFile, brokerUrl, delaysMs, seed, copies, delayMs, jitterMs } = settings;
const mqtt = brokerUrl === undefined ? { broker: {} } : { url: brokerUrl };
const simulator = await startSimulator({ seed, copies, delayMs, jitterMs, mqtt });
const note = (line: object) => appendFileSync(truthFile, `${JSON.stringify(line)}\n`);

for (const [device, ms] of Object.entries(delaysMs)) simulator.home.setDelay(device, ms);
for (const { id } of simulator.home.devices)
  note({ type: 'start', device: id, state: simulator.home.device(id).view().state });
simulator.home.truthLog.subscribe(note);
await simulator.mqtt?.announced;

const end = () => void simulator.close().then(() => process.exit(0));
process.once('SIGTERM', end);
process.once('disconnect', end);
process.send?.({ url: simulator.url, broker: await simulator.mqtt?.url });
