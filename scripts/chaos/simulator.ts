/**
 * The simulator as a process of its own that outlives every gateway. The whole of its ground truth goes to a file, line by
 * line: the log that the control API shows keeps only the latest.
 */
import { appendFileSync } from 'node:fs';
import { startSimulator } from '../../simulator/start.ts';
import { TARGETS } from './devices.ts';

const [truthFile = '', seed = '1'] = process.argv.slice(2);
const simulator = await startSimulator({ seed: Number(seed), mqtt: { broker: {} } });
const note = (line: object) => appendFileSync(truthFile, `${JSON.stringify(line)}\n`);

for (const { simulated, delayMs } of TARGETS) {
  simulator.home.setDelay(simulated, delayMs);
  note({ type: 'start', device: simulated, state: simulator.home.device(simulated).view().state });
}
simulator.home.truthLog.subscribe(note);
await simulator.mqtt?.announced;

const end = () => void simulator.close().then(() => process.exit(0));
process.once('SIGTERM', end);
process.once('disconnect', end);
process.send?.({ url: simulator.url, broker: await simulator.mqtt?.url });
