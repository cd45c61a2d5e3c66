import type { Random } from '../../simulator/core/random.ts';

type Values = Readonly<Record<string, string | number>>;

/** A device of `home.yaml`, as its clients and as the simulator know it. */
export interface TargetDevice {
  readonly id: string;
  readonly tool: string;
  /** Its id in the simulator. */
  readonly simulated: string;
  /** How long the simulated one takes to act, in ms. */
  readonly delayMs: number;
  /** Faults of the simulator that may befall one of its commands. */
  readonly faults: readonly string[];
  /** Wishes of which no two are alike, as many as the device has room for. */
  readonly wishes: () => readonly Values[];
  /** A wish that the plan refuses. */
  readonly impossible: Values;
  /** A wish in the words in which the simulator records what reached the device. */
  readonly wire: (wish: Values) => Values;
}

const QUICK_MS = 200;

/** Later than a bridge's echo, and than the window in which it is taken for one, however busy the machine. */
const BRIDGED_MS = 1_500;

const DIRECTIONS = ['auto', 'swing', 'near', 'middle', 'far'] as const;

/** Speed in percent for each of the fan's eight levels. */
const LEVEL_PERCENT = 12.5;

export const TARGETS: readonly TargetDevice[] = [
  {
    id: 'ac',
    tool: 'set_climate',
    simulated: 'ac',
    delayMs: QUICK_MS,
    faults: ['ignore', 'clamp', 'lost_answer', 'http_500', 'error_in_200'],
    wishes: () => setpoints(16, 30, 0.01),
    impossible: { target_temperature: 45 },
    wire: (wish) => ({ temperature: Number(wish.target_temperature) }),
  },
  {
    id: 'fan',
    tool: 'set_fan',
    simulated: 'fan',
    delayMs: QUICK_MS,
    faults: ['ignore', 'lost_answer', 'http_500'],
    wishes: fanWishes,
    impossible: { percentage: 400 },
    wire: (wish) => ({
      power: String(wish.power).toUpperCase(),
      speed: Number(wish.percentage) / LEVEL_PERCENT,
      vertical: String(wish.swing_mode).toUpperCase(),
      horizontal: String(wish.swing_horizontal_mode).toUpperCase(),
    }),
  },
  {
    id: 'studio',
    tool: 'set_climate',
    simulated: 'esp_ac',
    delayMs: QUICK_MS,
    faults: ['ignore', 'clamp', 'lost_answer'],
    wishes: () => setpoints(17, 30, 0.1),
    impossible: { target_temperature: 3 },
    wire: (wish) => ({ target_temperature: Number(wish.target_temperature) }),
  },
  {
    id: 'radiator',
    tool: 'set_climate',
    simulated: 'z2m_radiator',
    delayMs: BRIDGED_MS,
    faults: ['ignore', 'lost_answer'],
    wishes: () => setpoints(5, 30, 0.01),
    impossible: { target_temperature: 90 },
    wire: (wish) => ({ occupied_heating_setpoint: Number(wish.target_temperature) }),
  },
  {
    id: 'lamp',
    tool: 'set_light',
    simulated: 'z2m_lamp',
    delayMs: BRIDGED_MS,
    faults: ['ignore', 'lost_answer', 'error_in_200'],
    wishes: () => Array.from({ length: 254 }, (_, index) => ({ brightness: index + 1 })),
    impossible: { brightness: 1_000 },
    // Brightness alone switches it on.
    wire: (wish) => ({ state: 'ON', brightness: Number(wish.brightness) }),
  },
  {
    id: 'heat_pump',
    tool: 'set_climate',
    simulated: 'cn105_heatpump',
    delayMs: BRIDGED_MS,
    faults: ['ignore', 'clamp', 'lost_answer'],
    wishes: () => setpoints(16, 31, 0.01),
    impossible: { target_temperature: 99 },
    wire: (wish) => ({ temperature: Number(wish.target_temperature) }),
  },
];

function setpoints(min: number, max: number, step: number): Values[] {
  const digits = step < 0.1 ? 2 : 1;
  return Array.from({ length: Math.round((max - min) / step) + 1 }, (_, index) => ({
    target_temperature: Number((min + index * step).toFixed(digits)),
  }));
}

function fanWishes(): Values[] {
  return ['on', 'off'].flatMap((power) =>
    Array.from({ length: 8 }, (_, level) => (level + 1) * LEVEL_PERCENT).flatMap((percentage) =>
      DIRECTIONS.flatMap((swing_mode) =>
        DIRECTIONS.map((swing_horizontal_mode) => ({ power, percentage, swing_mode, swing_horizontal_mode })),
      ),
    ),
  );
}

/** The same things in an order of chance. */
export function shuffled<T>(things: readonly T[], random: Random): T[] {
  return things
    .map((thing) => ({ thing, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ thing }) => thing);
}
