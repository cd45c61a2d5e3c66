import { type Simulator, startSimulator } from '../simulator/start.ts';
import { type LoadedHome, loadConfig } from './config/load.ts';
import { shippedPath } from './config/shipped.ts';
import { messageOf, StartError } from './domain/errors.ts';

/** The home that runs where no configuration is given: the shipped one, on a simulator in this process. */
export interface Demo {
  readonly home: LoadedHome;
  readonly simulator: Simulator;
}

/** @throws StartError where the simulator's port is taken */
export async function startDemo(options: { simulatorPort: number; delayMs: number }): Promise<Demo> {
  const simulator = await startSimulator({ port: options.simulatorPort, delayMs: options.delayMs }).catch(
    (error: unknown) => {
      throw new StartError(`the simulator cannot start: ${messageOf(error)}; choose another --simulator-port`);
    },
  );
  try {
    const env = { ...process.env, READBACK_SIMULATOR: simulator.url };
    return { home: await loadConfig(shippedPath('demo.yaml'), env), simulator };
  } catch (error) {
    await simulator.close();
    throw error;
  }
}
