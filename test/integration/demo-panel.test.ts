import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoPanel } from '../../gateway/commands/demo-panel.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import { shippedPath } from '../../gateway/config/shipped.ts';
import type { RefusalWire, SimulatorWire } from '../../gateway/dashboard/wire.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { askApi } from '../support/dashboard-client.ts';
import { DEMO_AC, DEMO_FAN } from '../support/demo-devices.ts';
import { startGateway, type TestGateway } from '../support/mcp-gateway.ts';
import { ManualClock } from '../support/simulator-clock.ts';
import { tokenOf, tokenRecord } from '../support/tokens.ts';

let clock: ManualClock;
let simulator: Simulator;
let gateway: TestGateway;

beforeEach(async () => {
  clock = new ManualClock();
  // Its devices are there, though no broker ever is.
  simulator = await startSimulator({ clock, mqtt: { url: new Promise(() => undefined) } });
  const lamp = { ...DEMO_FAN, id: 'reading_lamp', name: 'reading lamp' };
  gateway = await startGateway({
    specs: [DEMO_AC, DEMO_FAN, lamp],
    tokens: [tokenRecord('anna', 'control'), tokenRecord('owner', 'admin')],
    panel: demoPanel(simulator.home, await loadConfig(shippedPath('demo.yaml'), {})),
  });
});

afterEach(async () => {
  await gateway.close();
  await simulator.close();
});

const look = async () => (await askApi<SimulatorWire>(gateway.origin, '/simulator', { as: tokenOf('owner') })).body;
const change = <Body = SimulatorWire>(id: string, post: unknown, as = 'owner') =>
  askApi<Body>(gateway.origin, `/simulator/${id}`, { as: tokenOf(as), post });
const of = ({ devices }: SimulatorWire, id: string) => devices.find((device) => device.id === id);

describe('the simulator of the demo, on the page', () => {
  it('says of each device which one of the gateway it is: by the address that is read, or by the name it announced', async () => {
    const { devices, faults } = await look();
    expect(Object.fromEntries(devices.map(({ id, device }) => [id, device]))).toMatchObject({
      ac: 'living_room_ac',
      fan: 'bedroom_fan',
      z2m_lamp: 'reading_lamp',
      // The gateway of this test has never heard of it.
      z2m_blind: null,
    });
    expect(faults).toEqual(expect.arrayContaining(['ignore', 'clamp', 'offline']));
  });

  it('shows what a device really is and really received, not what it says', async () => {
    await change('ac', { arm: 'ignore', once: true });
    simulator.home.device('ac').receive({ temperature: 26 });
    clock.advance(10_000);
    expect(of(await look(), 'ac')).toMatchObject({ received: 1, truth: { temperature: 24 }, armed: [] });
    simulator.home.device('ac').receive({ temperature: 26 });
    clock.advance(10_000);
    expect(of(await look(), 'ac')).toMatchObject({ received: 2, truth: { temperature: 26 } });
  });

  it('arms faults for one command or until they are cleared, and sets the delay', async () => {
    await change('ac', { arm: 'clamp', once: false });
    await change('ac', { arm: 'slow', once: true });
    const { body } = await change('ac', { delay_ms: 250 });
    expect(of(body, 'ac')).toMatchObject({
      delay_ms: 250,
      armed: expect.arrayContaining([
        { fault: 'clamp', once: false },
        { fault: 'slow', once: true },
      ]),
    });
    expect(of((await change('ac', { clear: true })).body, 'ac')?.armed).toEqual([]);
  });

  it.each([
    ['a fault that does not exist', 'ac', { arm: 'mood', once: true }, 400, /mood/],
    ['a fault that the device cannot show', 'z2m_lamp', { arm: 'http_500', once: true }, 400, /cannot be seen over/],
    ['a delay that is none', 'ac', { delay_ms: -1 }, 400, /delay_ms/],
    ['two changes at once', 'ac', { delay_ms: 1, clear: true }, 400, /send/],
    ['an unknown device', 'attic', { clear: true }, 404, /attic/],
  ])('refuses %s in clear words', async (_, id, body, status, message) => {
    const answer = await change<RefusalWire>(id, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  it('is for an admin alone', async () => {
    expect((await change('ac', { clear: true }, 'anna')).status).toBe(403);
    const home = (as: string) => askApi<{ simulator: boolean }>(gateway.origin, '/home', { as: tokenOf(as) });
    expect([(await home('anna')).body.simulator, (await home('owner')).body.simulator]).toEqual([false, true]);
  });
});
