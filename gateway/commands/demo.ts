import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type LoadedHome, loadConfig } from '../config/load.ts';
import { shippedPath } from '../config/shipped.ts';
import type { SimulatorPanel } from '../dashboard/simulator-panel.ts';
import { messageOf, StartError } from '../domain/errors.ts';
import { demoPanel } from './demo-panel.ts';

/** The home that runs where no configuration is given: the shipped one, on a simulator in this process. */
export interface Demo {
  readonly home: LoadedHome;
  readonly simulator: Simulator;
  readonly panel: SimulatorPanel;
  /** Lets the MQTT devices in, once there is a broker for them. */
  joinBroker(url: string): void;
}

/** @throws StartError where the simulator's port is taken */
export async function startDemo(options: { simulatorPort: number; delayMs: number }): Promise<Demo> {
  let joinBroker: (url: string) => void = () => {};
  const broker = new Promise<string>((resolve) => {
    joinBroker = resolve;
  });
  const { simulatorPort: port, delayMs } = options;
  const simulator = await startSimulator({ port, delayMs, mqtt: { url: broker } }).catch((error: unknown) => {
    throw new StartError(`the simulator cannot start: ${messageOf(error)}; choose another --simulator-port`);
  });
  try {
    const env = { ...process.env, READBACK_SIMULATOR: simulator.url };
    const home = await loadConfig(shippedPath('demo.yaml'), env);
    return { home, simulator, panel: demoPanel(simulator.home, home), joinBroker };
  } catch (error) {
    await simulator.close();
    throw error;
  }
}
