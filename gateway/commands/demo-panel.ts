import { InputError, UnknownError } from '../../simulator/core/errors.ts';
import type { SimulatedHome } from '../../simulator/core/home.ts';
import type { HomeConfig } from '../config/schema.ts';
import type { SimulatorPanel } from '../dashboard/simulator-panel.ts';
import type { DeviceSpec } from '../domain/device.ts';
import { UserError } from '../domain/errors.ts';

/** The demo's simulator as the page plays with it. */
export function demoPanel(simulated: SimulatedHome, home: Pick<HomeConfig, 'devices'>): SimulatorPanel {
  return {
    faults: Object.keys(simulated.view().faults),
    devices(known) {
      return simulated.devices.map((device) => {
        const { id, name, delay_ms, faults, state, counts } = device.view();
        return {
          id,
          device: configuredTwin(id, home) ?? known.find((spec) => isNamed(spec, name))?.id ?? null,
          name,
          delay_ms,
          armed: faults.map(({ fault, times_left }) => ({ fault, once: times_left !== null })),
          truth: state,
          received: counts.commands,
        };
      });
    },
    change(id, change) {
      const device = simulated.devices.find((each) => each.id === id);
      if (!device) throw new UserError('unknown_device', `There is no simulated device "${id.slice(0, 64)}".`);
      try {
        if ('delay_ms' in change) device.configure({ delay_ms: change.delay_ms });
        else if ('arm' in change) device.arm({ fault: change.arm, ...(change.once && { times: 1 }) });
        else device.clear();
      } catch (error) {
        if (error instanceof InputError || error instanceof UnknownError)
          throw new UserError('bad_value', error.message);
        throw error;
      }
    },
  };
}

/** Bridges have the names of their devices in small letters. */
function isNamed(spec: DeviceSpec, name: string): boolean {
  return spec.name.toLowerCase() === name.toLowerCase();
}

/** The device of the configuration that reads this one's sensors. Those that announce themselves keep their names instead. */
function configuredTwin(id: string, { devices }: Pick<HomeConfig, 'devices'>): string | undefined {
  const reads = ({ requests }: HomeConfig['devices'][string]) =>
    Object.values(requests).some(({ path }) => path === `/sensors/${id}`);
  return Object.entries(devices).find(([, device]) => reads(device))?.[0];
}
