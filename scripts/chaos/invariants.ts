import { isDeepStrictEqual } from 'node:util';
import { type Actuation, isSettled } from '../../gateway/domain/actuation.ts';
import { result } from '../../gateway/domain/result.ts';
import type { Finding } from '../support/finding.ts';
import type { Reception, Truth } from '../support/truth.ts';
import { TARGETS, type TargetDevice } from './devices.ts';
import { hasEnded, type Told, type ToldTask } from './told.ts';

/** The three accounts of the same commands. */
export interface Accounts {
  readonly told: Told;
  /** Every record of the store. */
  readonly records: readonly Actuation[];
  readonly truth: Truth;
}

/** What has to hold, whenever and wherever the gateway was killed: what clients were told, what is stored, what happened. */
export function checkInvariants({ told, records, truth }: Accounts): Finding[] {
  const byId = new Map(records.map((record) => [record.taskId, record]));
  const receptions = truth.receptions.map((reception) => ({ reception, record: recordOf(reception, records) }));
  const counts = new Map<Actuation, number>();
  for (const { record } of receptions) if (record) counts.set(record, (counts.get(record) ?? 0) + 1);
  const verified = records.filter(({ outcome }) => outcome?.type === 'verdict' && outcome.verdict === 'verified');
  return [
    {
      name: 'every task id that a client received is there',
      looked: told.taskIds.length,
      violations: [
        ...told.lost.map((id) => `${id}: a client was told that there is no such task`),
        ...told.taskIds.filter((id) => !byId.has(id)).map((id) => `${id}: not in the store`),
      ],
    },
    {
      name: 'every task has ended',
      looked: records.length,
      violations: [
        ...told.tasks.filter((task) => !hasEnded(task)).map((task) => `${task.taskId}: told as ${task.status}`),
        ...records.filter((record) => !isSettled(record)).map((record) => `${named(record)}: ${record.phase}`),
      ],
    },
    {
      name: 'a settled task never changed',
      looked: told.repeated,
      violations: [
        ...told.changed.map(({ before, after }) => `${JSON.stringify(before)} became ${JSON.stringify(after)}`),
        ...told.tasks.flatMap((task) => disagreement(task, byId.get(task.taskId))),
      ],
    },
    {
      name: 'every command that reached a device belongs to a task',
      looked: receptions.length,
      violations: receptions.filter(({ record }) => !record).map(({ reception }) => described(reception)),
    },
    {
      name: 'no command reached a device twice',
      looked: counts.size,
      violations: [...counts]
        .filter(([, count]) => count > 1)
        .map(([record, count]) => `${named(record)}: ${count} times`),
    },
    {
      name: 'no command reached a device that its task says was not sent',
      looked: records.filter(saysUnsent).length,
      violations: [...counts.keys()].filter(saysUnsent).map((record) => `${named(record)}: ${outcomeOf(record)}`),
    },
    {
      name: 'nothing was verified that the device did not do',
      looked: verified.length,
      violations: verified.flatMap((record) => untruths(record, truth)),
    },
  ];
}

/** The task behind a command on the wire. A wish that comes back after all others belongs to the latest task before it. */
function recordOf(reception: Reception, records: readonly Actuation[]): Actuation | undefined {
  return records
    .filter((record) => {
      const target = targetOf(record);
      if (target?.simulated !== reception.device || record.createdAt.wall > reception.epoch_ms) return false;
      return isDeepStrictEqual(wireOf(target, record), reception.body);
    })
    .reduce<Actuation | undefined>((latest, record) => {
      return latest && latest.createdAt.wall > record.createdAt.wall ? latest : record;
    }, undefined);
}

function targetOf(record: Actuation): TargetDevice | undefined {
  return TARGETS.find(({ id }) => id === record.deviceId);
}

function wireOf(target: TargetDevice, { fields }: Actuation): Readonly<Record<string, unknown>> {
  const sent = fields.map(({ field, sent }) => [field, typeof sent === 'number' ? sent : String(sent)] as const);
  return target.wire(Object.fromEntries(sent));
}

/** Whether an ended task tells its client that the device received nothing. */
function saysUnsent({ outcome, sentAt }: Actuation): boolean {
  return outcome?.type === 'cancelled' ? !outcome.sent : outcome !== null && sentAt === null;
}

/** What a client was told last, against what is stored. */
function disagreement(task: ToldTask, record: Actuation | undefined): string[] {
  if (!record || !hasEnded(task) || task.status !== 'completed') return [];
  const { structuredContent } = task.result as { structuredContent?: unknown };
  const stored: unknown = JSON.parse(JSON.stringify(result(record)));
  return isDeepStrictEqual(structuredContent, stored)
    ? []
    : [`${task.taskId}: told ${JSON.stringify(structuredContent)}, stored ${JSON.stringify(stored)}`];
}

/** The fields of a verified command at whose value the device never stood between the send and the verdict. */
function untruths(record: Actuation, truth: Truth): string[] {
  const target = targetOf(record);
  const { sentAt, outcome } = record;
  if (!target || !sentAt || !outcome) return [`${named(record)}: verified, and never sent`];
  return Object.entries(wireOf(target, record))
    .filter(([field, value]) => {
      const isWanted = (now: unknown) => now === value;
      return !truth.stoodAt(target.simulated, field, isWanted, sentAt.wall, outcome.at.wall);
    })
    .map(([field, value]) => `${named(record)}: ${field} never was ${value}`);
}

/** How a task ended, in a word or two. */
export function outcomeOf({ outcome, phase }: Actuation): string {
  if (!outcome) return phase;
  if (outcome.type !== 'verdict') return outcome.type;
  return outcome.reason === null ? outcome.verdict : `${outcome.verdict}/${outcome.reason}`;
}

function named(record: Actuation): string {
  const wish = record.fields.map(({ field, sent }) => `${field} ${sent}`).join(', ');
  return `${record.taskId} (${record.deviceId}: ${wish})`;
}

function described({ device, body, type, epoch_ms }: Reception): string {
  return `${device} received ${JSON.stringify(body)} at ${new Date(epoch_ms).toISOString()}${type === 'rejected' ? ', which made no sense to it' : ''}`;
}
