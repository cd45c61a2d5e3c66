import type { Actuation, FieldTrack, Refusal } from './actuation.ts';
import type { DeviceSpec } from './device.ts';
import { type Known, type Plan, type Planned, question } from './plan.ts';
import type { Instant } from './time.ts';

/** What a new command is made of, beside its plan. */
export interface Order {
  readonly taskId: string;
  readonly principal: string;
  readonly wishDigest?: string;
  readonly spec: DeviceSpec;
  readonly known: Known;
  readonly plan: Plan;
  readonly at: Instant;
  readonly boot: string;
  readonly ttlMs: number;
  readonly approvalTtlMs: number;
}

/** The record of a new command: refused, waiting for a person, or queued. */
export function open(order: Order): Actuation {
  const { spec, known, at } = order;
  const asked = order.plan.ok ? question(spec, known, order.plan.fields) : null;
  const commanded = new Set(order.plan.fields.map((planned) => planned.field));
  const exempt = new Set([...commanded].flatMap((field) => spec.sideEffects[field] ?? []));
  const refusal = order.plan.ok ? null : order.plan.refusal;
  return {
    taskId: order.taskId,
    principal: order.principal,
    ...(order.wishDigest !== undefined && { wishDigest: order.wishDigest }),
    deviceId: spec.id,
    deviceName: spec.name,
    kind: spec.kind,
    rules: spec.verify,
    ttlMs: order.ttlMs,
    phase: refusal ? 'settled' : asked ? 'awaiting_approval' : 'queued',
    boot: order.boot,
    createdAt: at,
    updatedAt: at,
    approval: asked ? { question: asked, askedAt: at, ttlMs: order.approvalTtlMs, answer: null } : null,
    fields: order.plan.fields.map((planned) => newTrack(spec, known, planned, refusal)),
    guards: spec.guard
      .filter((field) => !commanded.has(field) && !exempt.has(field))
      .map((field) => ({
        field,
        compare: spec.fields[field]?.compare ?? { type: 'option' },
        before: known[field] ?? null,
        observed: null,
        observedAt: null,
      })),
    refusal,
    sentAt: null,
    sends: 0,
    deadline: null,
    sendUncertain: false,
    heardAt: null,
    offlineSince: null,
    asked: false,
    reads: 0,
    failedReads: 0,
    restarts: 0,
    supersededBy: null,
    outcome: refusal ? { type: 'verdict', verdict: 'rejected', reason: refusal.reason, at } : null,
  };
}

function newTrack(spec: DeviceSpec, known: Known, planned: Planned, refusal: Refusal | null): FieldTrack {
  const field = spec.fields[planned.field];
  const before = known[planned.field] ?? null;
  return {
    field: planned.field,
    unit: field?.unit ?? null,
    step: field?.step ?? null,
    requested: planned.requested,
    sent: planned.sent,
    compare: field?.compare ?? { type: 'option' },
    readback: field?.readback ?? { readable: false, push: false, askable: false, ackable: false },
    send: 'unsent',
    sentAt: null,
    lastSentAt: null,
    before,
    beforeFrom: before === null ? null : 'known',
    runs: [],
    sawWanted: false,
    nearer: 0,
    wentAway: false,
    moving: false,
    wasMoving: false,
    restAt: null,
    acked: null,
    excluded: false,
    doubtAt: null,
    ruling: refusal ? { verdict: 'rejected', reason: refusal.reason } : null,
    detail: refusal?.field === planned.field ? refusal.message : null,
  };
}
