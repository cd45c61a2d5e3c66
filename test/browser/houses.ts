import type {
  CommandWire,
  DeviceWire,
  FieldWire,
  HomeWire,
  MomentWire,
  SimulatorWire,
} from '../../gateway/dashboard/wire.ts';
import { SCOPES } from '../../gateway/domain/principal.ts';
import type { Value } from '../../gateway/domain/value.ts';
import { VERDICTS, type Verdict } from '../../gateway/domain/verdict.ts';
import type { FakeHouse } from './fake-gateway.ts';

const AREAS = ['Living room', 'Bedroom', 'Kitchen', 'A room whose name somebody wrote out in full', null] as const;

const VERDICT_REASONS = {
  verified: null,
  ignored: 'no_reaction',
  mismatch: 'clamped',
  still_moving: 'ramping',
  unreachable: 'offline',
  rejected: 'out_of_range',
  unconfirmed: 'no_readback',
  superseded: 'newer_command',
  declined: 'approval_denied',
} as const satisfies Record<Verdict, CommandWire['reason']>;

/** An instant this many seconds ago. */
export function secondsAgo(s: number): string {
  return new Date(Date.now() - s * 1_000).toISOString();
}

/** A field that can be set. */
export function field(name: string, value: Value | null, more: Partial<FieldWire> = {}): FieldWire {
  return { name, value, at: secondsAgo(4), writable: true, applies: true, asks: false, ...more };
}

/** An air conditioner with everything that a card can show. */
export function airConditioner(id: string, more: Partial<DeviceWire> = {}): DeviceWire {
  const fields = [
    field('power', 'on', { options: ['on', 'off'] }),
    field('hvac_mode', 'cool', { options: ['cool', 'heat', 'dry', 'fan_only', 'auto'] }),
    field('target_temperature', 24, { min: 16, max: 30, step: 1, unit: 'C' }),
    field('fan_mode', 'auto', { options: ['auto', 'low', 'medium', 'high'] }),
    field('swing_mode', 'auto', { options: ['auto', 'swing', 'near', 'middle', 'far'] }),
    field('current_temperature', 27.5, { writable: false, unit: 'C' }),
  ];
  return {
    id,
    name: `Air conditioner ${id}`,
    area: 'Living room',
    kind: 'climate',
    reachable: true,
    heard_at: secondsAgo(4),
    caveats: [],
    fields,
    ...more,
  };
}

/** A command that wants 26 degrees and is being read back. */
export function command(id: string, more: Partial<CommandWire> = {}): CommandWire {
  return {
    id,
    device: 'ac',
    device_name: 'Air conditioner ac',
    kind: 'climate',
    principal: 'local',
    mine: true,
    phase: 'verifying',
    verdict: null,
    reason: null,
    outcome: null,
    message: 'Air conditioner ac: sent target_temperature 26 °C; read 24 °C; reading back.',
    created_at: secondsAgo(3),
    updated_at: secondsAgo(1),
    sent_at: secondsAgo(2.9),
    ended_at: null,
    deadline_at: secondsAgo(-17),
    usual_ms: 4_000,
    reads: 2,
    fields: [
      {
        name: 'target_temperature',
        requested: 26,
        sent: 26,
        before: 24,
        observed: 24,
        evidence: 3,
        verdict: null,
        reason: null,
        unit: 'C',
        step: 1,
      },
    ],
    question: null,
    drifts: 0,
    ...more,
  };
}

/** The same, ended by this verdict some time ago. */
export function ended(id: string, verdict: Verdict, agoS: number, more: Partial<CommandWire> = {}): CommandWire {
  const wasSent = verdict !== 'declined' && verdict !== 'rejected';
  const reason = VERDICT_REASONS[verdict];
  return command(id, {
    phase: 'settled',
    outcome: 'verdict',
    verdict,
    reason,
    message: `Air conditioner ac: ${verdict}${reason ? ` (${reason})` : ''}: sent target_temperature 26 °C, read 24 °C; the device answers but did not move (it was 24 °C).`,
    created_at: secondsAgo(agoS + 10),
    updated_at: secondsAgo(agoS),
    sent_at: wasSent ? secondsAgo(agoS + 9.9) : null,
    ended_at: secondsAgo(agoS),
    deadline_at: null,
    ...more,
  });
}

/** A command that waits for a person's answer. */
export function waiting(id: string, more: Partial<CommandWire> = {}): CommandWire {
  return command(id, {
    phase: 'awaiting_approval',
    principal: 'assistant',
    mine: false,
    message: 'Air conditioner ac: waiting for a person to answer.',
    sent_at: null,
    deadline_at: null,
    question: {
      text: 'Set Air conditioner ac: target_temperature from 24 °C to 26 °C?',
      asked_at: secondsAgo(20),
      until: secondsAgo(-280),
      answer: null,
    },
    ...more,
  });
}

const HOME: HomeWire = {
  name: 'Readback',
  version: '0.1.0',
  now: secondsAgo(0),
  me: { name: 'local', can: SCOPES },
  simulator: false,
  days: ['2026-11-30', '2026-11-29'],
};

/** A house with these devices and commands, newest first. */
export function house(more: Partial<FakeHouse> = {}): FakeHouse {
  return { home: HOME, devices: [], commands: [], moments: MOMENTS, simulator: null, leftOut: [], ...more };
}

/** Sixty devices, some with names that somebody meant well, and a thousand commands of every verdict. */
export function crowdedHouse(): FakeHouse {
  const devices = Array.from({ length: 60 }, (_, index) =>
    airConditioner(`ac${index}`, {
      name: index % 7 === 3 ? `${'Donaudampfschifffahrtsgesellschaftskapitän '.repeat(3)}${index}` : `Device ${index}`,
      area: AREAS[index % AREAS.length] ?? null,
      reachable: index % 9 !== 4,
    }),
  );
  const commands = Array.from({ length: 1_000 }, (_, index) => {
    const device = devices[index % devices.length];
    const verdict = VERDICTS[index % VERDICTS.length] ?? 'verified';
    const names = { device: device?.id ?? 'ac', device_name: device?.name ?? 'ac' };
    return ended(`command-${index}`, verdict, 30 + index * 60, { ...names, principal: `assistant-${index % 3}` });
  });
  return house({ devices, commands });
}

const MOMENTS: readonly MomentWire[] = [
  { at: secondsAgo(40), type: 'created', text: 'local asked for target_temperature 26 °C' },
  { at: secondsAgo(39.9), type: 'sent', text: 'Sent target_temperature 26 °C', field: 'target_temperature', value: 26 },
  {
    at: secondsAgo(39),
    type: 'set_aside',
    text: 'target_temperature 26 °C, as the device answered, did not count: it came too soon to be more than an echo',
    field: 'target_temperature',
    value: 26,
  },
  {
    at: secondsAgo(37),
    type: 'reading',
    text: 'target_temperature 24 °C, as the device answered',
    field: 'target_temperature',
    value: 24,
    count: 5,
    until: secondsAgo(31),
  },
  {
    at: secondsAgo(30),
    type: 'ended',
    text: 'Air conditioner ac: ignored (no_reaction): sent target_temperature 26 °C',
  },
];

/** A simulator with one device that misbehaves. */
export const SIMULATOR: SimulatorWire = {
  now: secondsAgo(0),
  faults: ['ignore', 'clamp', 'ramp', 'revert', 'echo', 'stale_read', 'offline', 'flap'],
  devices: [
    {
      id: 'simulated_ac',
      device: 'ac',
      name: 'Air conditioner',
      delay_ms: 4_000,
      armed: [{ fault: 'clamp', once: true }],
      truth: { power: 'ON', temperature: 24, mode: 'COOL', room_temperature: 27.5 },
      received: 3,
    },
  ],
};
