import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Device } from '../../gateway/domain/device.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { DeviceHome, ending, until } from '../support/device-home.ts';
import { warmUp } from '../support/event-fan.ts';

const DELAY_MS = 100;

// The simulated ESPHome fan through its shipped profile, in real time: what the simulator says is what the gateway knows.
describe('the simulated ESPHome fan', () => {
  let simulator: Simulator;
  let home: DeviceHome;
  let fan: Device;

  beforeEach(async () => {
    simulator = await startSimulator({ delayMs: DELAY_MS });
  });
  afterEach(async () => {
    await home.stop();
    await simulator.close();
  });

  /** @param deadline at half of which it is asked if it has said nothing */
  async function open(deadline: string): Promise<void> {
    const profile = {
      use: 'esphome/fan',
      with: { base: `${simulator.url}/esp_fan`, entity: 'Porch Fan', speed_step: 25 },
    };
    warmUp(profile, { id: 'fan/Porch Fan' });
    home = await new DeviceHome({ fan: { ...profile, verify: { settle: '50ms', deadline } } }).start();
    fan = home.device('fan');
    await until(fan, (device) => device.state().push['power'] === true);
  }

  const truth = () => simulator.home.truth('esp_fan');

  it('is verified without being asked', async () => {
    await open('20s');
    const settled = await home.command('fan', { power: 'on', percentage: 75 });
    expect(ending(settled)).toBe('verified');
    expect(settled.reads).toBe(0);
    expect(truth().counts['esp_fan']).toMatchObject({ commands: 2, sensor_requests: 0 });
    expect(simulator.home.device('esp_fan').shown).toEqual({ state: 'ON', speed_level: 3 });
  });

  it.each<[string, string]>([
    ['ignore', 'ignored/no_reaction'],
    ['http_500', 'rejected/device_error'],
    // Of these it says nothing by itself, or nothing that can be read: then it is asked.
    ['lost_answer', 'verified'],
    ['garbled', 'verified'],
  ])('with the fault %s: %s', async (fault, expected) => {
    await open('1s');
    simulator.home.arm('esp_fan', fault, { times: 1 });
    const settled = await home.command('fan', { power: 'on' });
    expect(ending(settled)).toBe(expected);
    if (fault !== 'garbled') expect(settled.reads).toBeLessThanOrEqual(1);
  });

  it('hangs up with its power, and says how it stands when it is back', async () => {
    await open('20s');
    simulator.home.arm('esp_fan', 'offline');
    await until(fan, (device) => device.state().online === false);
    expect(ending(await home.command('fan', { power: 'on' }))).toBe('unreachable/offline');
    expect(truth().counts['esp_fan']).toMatchObject({ commands: 0 });
    simulator.home.clear('esp_fan');
    await until(fan, (device) => device.state().push['power'] === true);
    expect(ending(await home.command('fan', { power: 'on' }))).toBe('verified');
  });
});
