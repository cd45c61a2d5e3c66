import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { DeviceSpec } from '../../gateway/domain/device.ts';
import { open } from '../../gateway/domain/open.ts';
import { plan } from '../../gateway/domain/plan.ts';

/** An air conditioner with one number and one option. */
export const lounge: DeviceSpec = {
  id: 'lounge_ac',
  name: 'Lounge AC',
  kind: 'climate',
  fields: {
    target_temperature: {
      name: 'target_temperature',
      compare: { type: 'number', tolerance: 0.5 },
      writable: true,
      readback: { readable: true, push: false, askable: true, ackable: false },
      map: [],
      alias: {},
      min: 16,
      max: 30,
      step: 1,
      unit: 'C',
      scale: 1,
      nulls: [],
      approval: { type: 'never' },
    },
    fan_mode: {
      name: 'fan_mode',
      compare: { type: 'option' },
      writable: true,
      readback: { readable: true, push: false, askable: true, ackable: false },
      options: ['low', 'high'],
      map: [],
      alias: {},
      scale: 1,
      nulls: [],
      approval: { type: 'never' },
    },
  },
  order: ['target_temperature', 'fan_mode'],
  guard: [],
  sideEffects: {},
  verify: { echoMs: 0, settleMs: 0, deadlineMs: 20_000, watchMs: 0, pollMs: [500, 1000], level: 3, resend: 0 },
  minGapMs: 0,
  caveats: [],
};

export interface ActuationTraits {
  readonly taskId: string;
  readonly principal?: string;
  readonly deviceId?: string;
  readonly set?: Readonly<Record<string, unknown>>;
  /** Wall-clock time of its making, in ms. */
  readonly createdWall?: number;
}

/** The record of a new command on `lounge`, as `open()` makes it. */
export function actuation(traits: ActuationTraits): Actuation {
  const spec = { ...lounge, id: traits.deviceId ?? lounge.id };
  const known = { target_temperature: 22, fan_mode: 'low' };
  return open({
    taskId: traits.taskId,
    principal: traits.principal ?? 'owner',
    spec,
    known,
    plan: plan(spec, known, traits.set ?? { target_temperature: 26 }),
    at: { mono: 1000, wall: traits.createdWall ?? 1_750_000_000_000 },
    boot: 'boot-1',
    ttlMs: 300_000,
    approvalTtlMs: 600_000,
  });
}

/** The same command, verified at this wall-clock time (ms). */
export function settledAt(record: Actuation, wall: number): Actuation {
  const at = { mono: record.createdAt.mono + 4000, wall };
  return {
    ...record,
    phase: 'settled',
    updatedAt: at,
    outcome: { type: 'verdict', verdict: 'verified', reason: null, at },
  };
}
