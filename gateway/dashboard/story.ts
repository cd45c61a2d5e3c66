import type { Actuation, Approval, FieldTrack, Incident, Run, SetAside, WhySetAside } from '../domain/actuation.ts';
import type { Drifted } from '../domain/drift.ts';
import { sentence, show } from '../domain/sentence.ts';
import { type Instant, iso } from '../domain/time.ts';
import { guardChanged } from '../domain/track.ts';
import type { MomentWire } from './wire.ts';

/** A moment of the record itself, which can be put in order by its own clock. */
type Moment = readonly [Instant, Omit<MomentWire, 'at'>];

const WHY: Readonly<Record<WhySetAside, string>> = {
  before_send: 'it was asked for before the command was sent',
  retained: 'the broker had kept it from before, so it says nothing of now',
  echo: 'it repeats the command, and came too soon to be more than an echo',
  null: 'the device says that it has no value',
  moving: 'the device says that it is still moving',
};

/** Everything that happened to a command, in order of time, made from its record and what came after its verdict. */
export function story(actuation: Actuation, aftermath: readonly Drifted[]): readonly MomentWire[] {
  const { outcome } = actuation;
  const during = [
    created(actuation),
    ...questions(actuation.approval),
    ...sends(actuation),
    ...actuation.fields.flatMap(seen),
    ...actuation.guards.filter(guardChanged).flatMap(changedUnasked),
    ...(actuation.incidents ?? []).flatMap(incident),
  ].sort(([a], [b]) => a.mono - b.mono);
  const ended: Moment[] = outcome ? [[outcome.at, { type: 'ended', text: sentence(actuation) }]] : [];
  // What came after the verdict may be of a later boot, whose clock knows nothing of this one.
  const later = aftermath.map((drift) => drifted(actuation, drift));
  return [...during, ...ended, ...later].map(([at, moment]) => ({ at: iso(at), ...moment }));
}

function created({ createdAt, principal, fields }: Actuation): Moment {
  const wants = fields.map((track) => `${track.field} ${show(track, track.requested)}`).join(', ');
  return [
    createdAt,
    { type: 'created', text: `${principal} asked for ${wants || 'something that nobody understood'}` },
  ];
}

function questions(approval: Approval | null): Moment[] {
  if (!approval) return [];
  const { question, askedAt, answer } = approval;
  const asked: Moment = [askedAt, { type: 'asked', text: question }];
  if (!answer) return [asked];
  const { approved, by, through, at } = answer;
  return [asked, [at, { type: 'answered', text: `${approved ? 'Approved' : 'Denied'} by ${by} (${through})` }]];
}

/** Fields that left at the same moment left together. Of a field that was sent more often the first and the latest are known. */
function sends({ fields }: Actuation): Moment[] {
  const moments = new Map<number, { readonly at: Instant; readonly again: boolean; readonly tracks: FieldTrack[] }>();
  const note = (track: FieldTrack, at: Instant | null, again: boolean) => {
    if (!at) return;
    const moment = moments.get(at.mono) ?? { at, again, tracks: [] };
    moment.tracks.push(track);
    moments.set(at.mono, moment);
  };
  for (const track of fields) {
    note(track, track.sentAt, false);
    if (track.lastSentAt?.mono !== track.sentAt?.mono) note(track, track.lastSentAt, true);
  }
  return [...moments.values()].map(({ at, again, tracks }) => {
    const wants = tracks.map((track) => `${track.field} ${show(track, track.sent)}`).join(', ');
    const [only, ...others] = tracks;
    const field = only && others.length === 0 ? { field: only.field, value: only.sent } : {};
    return [at, { type: 'sent', text: `Sent ${wants}${again ? ' once more' : ''}`, ...field }];
  });
}

function seen(track: FieldTrack): Moment[] {
  const { field, acked, runs, setAside = [] } = track;
  const acknowledged: Moment[] = acked
    ? [[acked, { type: 'acknowledged', text: `The device acknowledged ${field}`, field }]]
    : [];
  return [
    ...acknowledged,
    ...runs.map((run) => counted(track, run)),
    ...setAside.map((aside) => uncounted(track, aside)),
  ];
}

function counted(track: FieldTrack, run: Run): Moment {
  const text = `${track.field} ${show(track, run.value)}, ${origin(run)}`;
  return [run.from, { type: 'reading', text, field: track.field, value: run.value, ...row(run) }];
}

function uncounted(track: FieldTrack, aside: SetAside): Moment {
  const { value, why } = aside;
  const what = value === null ? track.field : `${track.field} ${show(track, value)}`;
  const text = `${what}, ${origin(aside)}, did not count: ${WHY[why]}`;
  const known = value === null ? {} : { value };
  return [aside.from, { type: 'set_aside', text, field: track.field, ...known, ...row(aside) }];
}

function origin({ source }: Pick<Run, 'source'>): string {
  return source === 'read' ? 'as the device answered' : 'as the device reported';
}

function row({ count, to }: Pick<Run, 'count' | 'to'>): Pick<MomentWire, 'count' | 'until'> {
  return count > 1 ? { count, until: iso(to) } : {};
}

function changedUnasked({ field, before, observed, observedAt }: Actuation['guards'][number]): Moment[] {
  if (!observedAt || observed === null) return [];
  const text = `${field} changed from ${before} to ${observed}, although nobody asked for it`;
  return [[observedAt, { type: 'reading', text, field, value: observed }]];
}

/** That a device came back is told with its absence, and a restore with the end that it was. */
function incident({ type, at }: Incident, place: number, all: readonly Incident[]): Moment[] {
  if (type === 'restarted') return [[at, { type, text: 'The gateway started anew, and goes on reading' }]];
  if (type === 'online' || type === 'restored') return [];
  const next = all[place + 1];
  if (next?.type !== 'online') return [[at, { type, text: 'The device was out of reach from here on' }]];
  const seconds = (next.at.mono - at.mono) / 1_000;
  return [[at, { type, text: `The device was out of reach for ${seconds.toFixed(1)} s`, until: iso(next.at) }]];
}

function drifted({ fields }: Actuation, { field, from, to, at }: Drifted): Moment {
  const track = fields.find((each) => each.field === field) ?? { step: null, unit: null };
  const text = `${field} changed from ${show(track, from)} to ${show(track, to)}, unasked`;
  return [at, { type: 'drifted', text, field, value: to }];
}
