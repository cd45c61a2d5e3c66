import type { Random } from '../../simulator/core/random.ts';

type Values = Readonly<Record<string, string | number>>;

/** A kind of simulated device, as clients and as the ground truth know it. */
export interface SoakedKind {
  /** Its id in the gateway and in the simulator; the second one of a kind has `_2` behind both. */
  readonly id: string;
  readonly simulated: string;
  readonly tool: string;
  /** Faults that may befall one of its commands, after which the gateway can still know what happened. */
  readonly faults: readonly string[];
  /** So far from the wanted number the gateway takes it for the same; 0 where it is a word. */
  readonly tolerance: number;
  /** A wish that is unlike most others. */
  readonly wish: (random: Random) => Values;
  /** The same in the device's own words. */
  readonly wire: (wish: Values) => Values;
}

const DIRECTIONS = ['auto', 'swing', 'near', 'middle', 'far'] as const;

export const KINDS: readonly SoakedKind[] = [
  {
    id: 'ac',
    simulated: 'ac',
    tool: 'set_climate',
    faults: ['ignore', 'clamp', 'lost_answer', 'http_500', 'error_in_200', 'slow', 'echo', 'stale_read', 'duplicate'],
    tolerance: 0.05,
    wish: (random) => ({ target_temperature: within(16, 30, 0.1, random) }),
    wire: (wish) => ({ temperature: Number(wish.target_temperature) }),
  },
  {
    id: 'fan',
    simulated: 'fan',
    tool: 'set_fan',
    faults: ['ignore', 'lost_answer', 'http_500', 'slow', 'duplicate'],
    tolerance: 0,
    wish: (random) => ({ swing_mode: oneOf(DIRECTIONS, random), swing_horizontal_mode: oneOf(DIRECTIONS, random) }),
    wire: (wish) => ({
      vertical: String(wish.swing_mode).toUpperCase(),
      horizontal: String(wish.swing_horizontal_mode).toUpperCase(),
    }),
  },
  {
    id: 'hall_radiator',
    simulated: 'z2m_radiator',
    tool: 'set_climate',
    faults: ['ignore', 'clamp', 'lost_answer', 'error_in_200'],
    tolerance: 0.25,
    wish: (random) => ({ target_temperature: within(5, 30, 0.5, random) }),
    wire: (wish) => ({ occupied_heating_setpoint: Number(wish.target_temperature) }),
  },
  {
    id: 'reading_lamp',
    simulated: 'z2m_lamp',
    tool: 'set_light',
    faults: ['ignore', 'lost_answer', 'error_in_200'],
    tolerance: 2,
    wish: (random) => ({ brightness: within(1, 254, 1, random) }),
    wire: (wish) => ({ brightness: Number(wish.brightness) }),
  },
  {
    id: 'kitchen_blind',
    simulated: 'z2m_blind',
    tool: 'set_cover',
    faults: ['ignore', 'error_in_200'],
    tolerance: 2,
    wish: (random) => ({ position: within(0, 100, 1, random) }),
    wire: (wish) => ({ position: Number(wish.position) }),
  },
  {
    id: 'studio_ac',
    simulated: 'esp_ac',
    tool: 'set_climate',
    faults: ['ignore', 'clamp'],
    tolerance: 0.25,
    wish: (random) => ({ target_temperature: within(17, 30, 0.5, random) }),
    wire: (wish) => ({ target_temperature: Number(wish.target_temperature) }),
  },
  {
    id: 'washer_plug',
    simulated: 'tasmota_plug',
    tool: 'set_switch',
    // Its only sign of a command is an echo, which a busy machine may deliver too late to be known as one.
    faults: ['error_in_200'],
    tolerance: 0,
    wish: (random) => ({ power: oneOf(['on', 'off'], random) }),
    wire: (wish) => ({ power: String(wish.power).toUpperCase() }),
  },
  {
    id: 'loft_heat_pump',
    simulated: 'cn105_heatpump',
    tool: 'set_climate',
    faults: ['ignore', 'clamp'],
    tolerance: 0.25,
    wish: (random) => ({ target_temperature: within(16, 31, 0.5, random) }),
    wire: (wish) => ({ temperature: Number(wish.target_temperature) }),
  },
];

/** A number on the grid of a step. */
function within(min: number, max: number, step: number, random: Random): number {
  const steps = Math.round((max - min) / step);
  return Number((min + Math.floor(random() * (steps + 1)) * step).toFixed(step < 1 ? 1 : 0));
}

function oneOf<T>(things: readonly T[], random: Random): T {
  return things[Math.floor(random() * things.length)] as T;
}
