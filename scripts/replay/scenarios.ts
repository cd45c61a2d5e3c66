import {
  acted,
  fewReads,
  observed,
  promptly,
  received,
  sensorsSay,
  sent,
  staysCancelled,
  timestamps,
  verdict,
} from './expectations.ts';
import type { Scenario } from './scenario.ts';

/** The delay that the figures are promised for, in ms. */
export const PROMISED_DELAY_MS = 4_000;

const LATE_MS = 600;
const READS = 8;

/**
 * What is replayed, in this order: each scenario begins where the devices stood after the one before it.
 * @param delayMs how long the devices take to act
 */
export function scenarios(delayMs: number): readonly Scenario[] {
  return [
    {
      id: 'setpoint',
      title: 'The setpoint to 26 °C',
      device: 'ac',
      sensors: ['temperature'],
      call: { tool: 'set_climate', arguments: { target_temperature: 26 } },
      expect: [
        verdict('verified'),
        sent({ target_temperature: 26 }),
        observed({ target_temperature: 26 }),
        timestamps(),
        // With other delays a machine's own slowness would be measured against a limit that is not meant for it.
        ...(delayMs === PROMISED_DELAY_MS ? [promptly(LATE_MS)] : []),
        fewReads(READS),
      ],
    },
    {
      id: 'directions',
      title: "The fan's two directions in one command",
      device: 'fan',
      sensors: ['vertical', 'horizontal'],
      call: { tool: 'set_fan', arguments: { swing_mode: 'near', swing_horizontal_mode: 'far' } },
      expect: [
        verdict('verified'),
        observed({ swing_mode: 'near', swing_horizontal_mode: 'far' }),
        received({ vertical: 'NEAR', horizontal: 'FAR' }),
      ],
    },
    {
      id: 'power',
      title: 'Power: told ON, read back On',
      device: 'fan',
      sensors: ['power'],
      call: { tool: 'set_fan', arguments: { power: 'on' } },
      expect: [verdict('verified'), received({ power: 'ON' }), sensorsSay({ power: 'On' }), observed({ power: 'on' })],
    },
    {
      id: 'ignored',
      title: 'The device takes the command and does nothing',
      device: 'ac',
      sensors: ['temperature'],
      fault: { name: 'ignore' },
      call: { tool: 'set_climate', arguments: { target_temperature: 22 } },
      expect: [
        verdict('ignored', 'no_reaction'),
        sent({ target_temperature: 22 }),
        observed({ target_temperature: 26 }),
        received({ temperature: 22 }),
        acted(),
      ],
    },
    {
      id: 'clamped',
      title: 'The device moves, and stops short',
      device: 'ac',
      sensors: ['temperature'],
      fault: { name: 'clamp' },
      call: { tool: 'set_climate', arguments: { target_temperature: 30 } },
      expect: [
        verdict('mismatch', 'clamped'),
        sent({ target_temperature: 30 }),
        observed({ target_temperature: 28 }),
        acted({ temperature: 28 }),
      ],
    },
    {
      id: 'still_moving',
      title: 'The device is on its way at the deadline',
      device: 'ac',
      sensors: ['temperature'],
      // Out of step with the polling, so that no change falls on a read.
      fault: { name: 'ramp', parameters: { step: 2, every_ms: Math.round(0.325 * delayMs) } },
      call: { tool: 'set_climate', arguments: { target_temperature: 16 } },
      expect: [verdict('still_moving', 'ramping'), sent({ target_temperature: 16 }), received({ temperature: 16 })],
    },
    {
      id: 'unreachable',
      title: 'The device is off the network',
      device: 'fan',
      sensors: ['speed'],
      fault: { name: 'offline' },
      call: { tool: 'set_fan', arguments: { percentage: 75 } },
      expect: [verdict('unreachable', 'offline'), received(), acted()],
    },
    {
      id: 'cancelled',
      title: 'Cancelled at once, when the device has received it already',
      device: 'ac',
      sensors: ['fan_speed'],
      call: { tool: 'set_climate', arguments: { fan_mode: 'high' } },
      meanwhile: 'cancel',
      expect: [staysCancelled(), received({ fan_speed: 'HIGH' }), acted({ fan_speed: 'HIGH' })],
    },
    {
      id: 'killed',
      title: 'The gateway is killed while it verifies',
      device: 'ac',
      sensors: ['vertical'],
      call: { tool: 'set_climate', arguments: { swing_mode: 'swing' } },
      meanwhile: 'kill',
      expect: [verdict('verified'), observed({ swing_mode: 'swing' }), received({ vertical: 'SWING' })],
    },
  ];
}
