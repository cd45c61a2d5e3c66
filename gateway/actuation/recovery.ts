import type { Actuation } from '../domain/actuation.ts';
import { type Aftermath, unwatch, type Watch, watchOf } from '../domain/drift.ts';
import type { Collection, TaskStore } from '../domain/store.ts';
import type { Clock } from '../domain/time.ts';

/** Records fetched at a time. */
const PAGE = 500;

/** The commands that were open when the gateway stopped, oldest first. */
export async function openRecords(store: TaskStore): Promise<readonly Actuation[]> {
  const records: Actuation[] = [];
  for (;;) {
    const after = records.at(-1)?.taskId;
    const page = await store.list({ open: true, limit: PAGE, ...(after === undefined ? {} : { after }) });
    records.push(...page);
    if (page.length < PAGE) return records.reverse();
  }
}

/** The fields that a command had to itself, and what of them is still watched. */
export interface Claim {
  readonly deviceId: string;
  readonly fields: readonly string[];
  readonly watch: Watch | null;
}

/**
 * What was verified shortly before the stop is watched on, as far as it had not drifted yet. Oldest first, and the
 * commands in flight last: whoever changed a field later took it over.
 */
export async function claims(
  inFlight: readonly Actuation[],
  { store, aftermaths, clock }: { store: TaskStore; aftermaths: Collection<Aftermath>; clock: Clock },
): Promise<readonly Claim[]> {
  const settled = await store.list({ open: false, limit: PAGE });
  return [...settled.toReversed(), ...inFlight]
    .filter(({ sentAt, boot }) => sentAt !== null && boot === clock.boot)
    .map((actuation) => {
      const watch = watchOf(actuation);
      const drifted = aftermaths.get(actuation.taskId)?.events.map((event) => event.field) ?? [];
      return {
        deviceId: actuation.deviceId,
        fields: actuation.fields.map((track) => track.field),
        watch: watch && watch.until > clock.now().mono ? unwatch(watch, drifted) : null,
      };
    });
}
