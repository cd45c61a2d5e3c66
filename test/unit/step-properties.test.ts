import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import type { ActuationEvent, Effect } from '../../gateway/domain/events.ts';
import { open } from '../../gateway/domain/open.ts';
import { plan } from '../../gateway/domain/plan.ts';
import type { Reading } from '../../gateway/domain/reading.ts';
import { sentence } from '../../gateway/domain/sentence.ts';
import { step } from '../../gateway/domain/step.ts';
import { at, device, field, option, POLLED } from '../support/histories.ts';

const ASKABLE = { readable: true, push: true, askable: true, ackable: true } as const;
const FIELDS = ['target_temperature', 'hvac_mode'];

/** A device with any combination of the verify rules, and a command for it. */
const command = fc
  .record({
    readback: fc.constantFrom(POLLED, ASKABLE, { ...ASKABLE, askable: false }),
    echoMs: fc.constantFrom(0, 500),
    settleMs: fc.constantFrom(0, 1_000),
    resend: fc.constantFrom(0, 2),
    level: fc.constantFrom(1 as const, 2 as const, 3 as const),
    approval: fc.constantFrom({ type: 'never' } as const, { type: 'always' } as const),
    guard: fc.boolean(),
    both: fc.boolean(),
    known: fc.boolean(),
  })
  .map(({ readback, approval, guard, both, known, ...verify }) => {
    const spec = device(
      [
        field('target_temperature', { min: 16, max: 30, step: 1, readback, approval }),
        option('hvac_mode', ['off', 'cool', 'heat'], { readback }),
      ],
      { ...verify, deadlineMs: 8_000, pollMs: [1_000] },
      { guard: guard ? ['hvac_mode'] : [] },
    );
    const set = both ? { target_temperature: 24, hvac_mode: 'heat' } : { target_temperature: 24 };
    const before = known ? { target_temperature: 20, hvac_mode: 'cool' } : {};
    return open({
      taskId: 'task',
      principal: 'somebody',
      spec,
      known: before,
      plan: plan(spec, before, set),
      at: at(0),
      boot: 'boot-1',
      ttlMs: 60_000,
      approvalTtlMs: 20_000,
    });
  });

const reading = fc.record({
  values: fc.record(
    {
      target_temperature: fc.constantFrom(20, 21, 22, 23, 24, 27, null),
      hvac_mode: fc.constantFrom('off', 'cool', 'heat', 'HEAT', null),
    },
    { requiredKeys: [] },
  ),
  source: fc.constantFrom('report' as const, 'read' as const),
  retained: fc.boolean(),
  tookMs: fc.constantFrom(0, 3, 2_000),
  moving: fc.constantFrom({}, { target_temperature: true }, { target_temperature: false }),
  excluded: fc.constantFrom([], ['target_temperature']),
  acks: fc.constantFrom({}, { target_temperature: 24 }),
});

/** Anything that can happen, in any order, with any gap before it: also what a well-behaved shell would never do. */
const happening = fc.tuple(
  fc.constantFrom(0, 1, 5, 250, 1_000, 4_000, 15_000),
  fc.oneof(
    { weight: 8, arbitrary: reading.map((value) => ({ type: 'reading' as const, value })) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('sent', 'accepted', 'lost', 'refused', 'not_sent').map((type) => ({ type })),
    },
    { weight: 2, arbitrary: fc.boolean().map((online) => ({ type: 'availability' as const, online })) },
    { weight: 1, arbitrary: fc.constantFrom('pushed', 'unpushed').map((type) => ({ type })) },
    {
      weight: 6,
      arbitrary: fc
        .constantFrom('tick', 'started', 'approved', 'declined', 'read_failed', 'delivery', 'restarted', 'rebooted')
        .map((type) => ({ type })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('cancelled', 'superseded', 'failed', 'restored').map((type) => ({ type })),
    },
  ),
);
/** The gap before it in ms, and what it is. */
type Happening = readonly [number, { readonly type: string; readonly value?: unknown; readonly online?: boolean }];

/** A plain live report of these values. */
function reported(values: Reading['values']) {
  const value = { values, source: 'report', retained: false, tookMs: 0, moving: {}, excluded: [], acks: {} };
  return { type: 'reading' as const, value };
}

function toEvent(ms: number, [, what]: Happening): ActuationEvent {
  const now = at(ms);
  switch (what.type) {
    case 'reading': {
      const { value } = what as { value: { tookMs: number } & Omit<Reading, 'type' | 'at' | 'beganAt'> };
      const { tookMs, ...rest } = value;
      const report = { type: 'reading' as const, at: now, beganAt: at(ms - tookMs), ...rest } as Reading;
      return { type: 'device', at: now, report };
    }
    case 'availability': {
      const { online } = what as { online: boolean };
      return { type: 'device', at: now, report: { type: 'availability', at: now, online, retained: false } };
    }
    case 'pushed':
    case 'unpushed': {
      const push = { target_temperature: what.type === 'pushed' };
      return { type: 'device', at: now, report: { type: 'push', at: now, push } };
    }
    case 'delivery': {
      const report = { type: 'delivery' as const, at: now, reason: 'delivery_failed' as const, detail: 'no route' };
      return { type: 'device', at: now, report };
    }
    case 'sent':
    case 'accepted':
      return { type: 'send', at: now, report: { type: what.type, fields: FIELDS } };
    case 'lost':
      return { type: 'send', at: now, report: { type: 'lost', fields: FIELDS, detail: 'reset' } };
    case 'refused':
    case 'not_sent':
      return {
        type: 'send',
        at: now,
        report: { type: what.type, fields: FIELDS, reason: 'device_error', detail: '500' },
      };
    case 'started':
      return { type: 'started', at: now, before: {}, offline: false, refusal: null };
    case 'approved':
    case 'declined':
      return { type: what.type, at: now, by: 'somebody', through: 'test' };
    case 'read_failed':
      return { type: 'read_failed', at: now, detail: 'refused' };
    case 'restarted':
      return { type: 'restarted', at: now, boot: 'boot-1' };
    case 'rebooted':
      return { type: 'restarted', at: at(ms), boot: `boot-at-${ms}` };
    case 'restored':
      return { type: 'restored', at: now, boot: `boot-at-${ms}` };
    case 'superseded':
      return { type: 'superseded', at: now, by: 'other' };
    case 'failed':
      return { type: 'failed', at: now, message: 'a fault' };
    case 'cancelled':
      return { type: 'cancelled', at: now };
    default:
      return { type: 'tick', at: now };
  }
}

interface Life {
  readonly states: readonly Actuation[];
  readonly events: readonly ActuationEvent[];
  readonly effects: readonly { readonly effect: Effect; readonly cause: ActuationEvent; readonly from: Actuation }[];
}

function live(first: Actuation, happenings: readonly Happening[]): Life {
  let actuation = first;
  let ms = 0;
  const states = [first];
  const events: ActuationEvent[] = [];
  const effects: Life['effects'][number][] = [];
  for (const each of happenings) {
    ms += each[0];
    const event = toEvent(ms, each);
    const done = step(actuation, event);
    effects.push(...done.effects.map((effect) => ({ effect, cause: event, from: actuation })));
    events.push(event);
    actuation = done.actuation;
    states.push(actuation);
  }
  return { states, events, effects };
}

function property(check: (life: Life) => void): void {
  fc.assert(
    fc.property(command, fc.array(happening, { maxLength: 40 }), (first, happenings) => check(live(first, happenings))),
    { numRuns: 3_000 },
  );
}

describe('whatever happens', () => {
  it('a settled command never changes, so no history gives two verdicts', () => {
    property(({ states }) => {
      const settled = states.findIndex((state) => state.outcome !== null);
      if (settled < 0) return;
      for (const later of states.slice(settled)) expect(later).toBe(states[settled]);
    });
  });

  it('no reading from before the command counts, nor a retained one', () => {
    property(({ states, events }) => {
      const counted = states.flatMap((state) =>
        state.fields.flatMap((track) => track.runs.map((run) => ({ run, track }))),
      );
      for (const { run, track } of counted) {
        expect(track.sentAt).not.toBeNull();
        const origins = events.filter(
          (event) => event.type === 'device' && event.report.type === 'reading' && event.at.wall === run.from.wall,
        );
        expect(
          origins.some((event) => event.type === 'device' && event.report.type === 'reading' && !event.report.retained),
        ).toBe(true);
        expect(run.from.wall).toBeGreaterThan(track.sentAt?.wall ?? Number.POSITIVE_INFINITY);
      }
    });
  });

  it('every reading of a field that was sent either counts or is set aside, and the record stays bounded', () => {
    property(({ states, events }) => {
      for (const [index, event] of events.entries()) {
        const [before, after] = [states[index], states[index + 1]];
        if (!before || !after) continue;
        expect(after.incidents?.length ?? 0).toBeLessThanOrEqual(16);
        for (const [place, track] of after.fields.entries()) {
          expect(track.setAside?.length ?? 0).toBeLessThanOrEqual(16);
          expect(track.runs.length).toBeLessThanOrEqual(24);
          const earlier = before.fields[place];
          if (event.type !== 'device' || event.report.type !== 'reading' || before.outcome || !earlier?.sentAt)
            continue;
          const changed = (track.runs !== earlier.runs ? 1 : 0) + (track.setAside !== earlier.setAside ? 1 : 0);
          expect(changed).toBe(event.report.values[track.field] === undefined ? 0 : 1);
        }
      }
    });
  });

  it('verified rests on evidence of the level that the device asks for, read after the send', () => {
    property(({ states }) => {
      const last = states.at(-1);
      if (last?.outcome?.type !== 'verdict' || last.outcome.verdict !== 'verified') return;
      for (const track of last.fields) {
        const run = track.runs.at(-1);
        if (run)
          expect(
            Math.abs(Number(run.value) - Number(track.sent)) <= 0.25 || String(run.value).toLowerCase() === track.sent,
          ).toBe(true);
        else expect(last.rules.level <= 2 && (track.acked !== null || track.send === 'accepted')).toBe(true);
      }
    });
  });

  it('a command is sent once, and again only as often as its profile says; never because of a restart', () => {
    property(({ states, effects }) => {
      const sends = effects.filter(({ effect }) => effect.type === 'send');
      const last = states.at(-1);
      expect(sends.length).toBeLessThanOrEqual(1 + (last?.rules.resend ?? 0));
      for (const { cause, from } of sends) {
        if (cause.type === 'restarted') expect(from.rules.resend).toBeGreaterThan(0);
      }
    });
  });

  it('nothing is sent before a person has said yes', () => {
    property(({ effects }) => {
      for (const { effect, from } of effects) {
        if (effect.type === 'send' && from.approval) expect(from.approval.answer?.approved).toBe(true);
      }
    });
  });

  it('an open command always knows when to look again, and past its lifetime there is none', () => {
    property(({ states, events }) => {
      const last = states.at(-1) as Actuation;
      const end = (events.at(-1)?.at.mono ?? 0) + 200_000;
      expect(step(last, { type: 'tick', at: at(end) }).actuation.outcome).not.toBeNull();
    });
  });

  it('left to its own wake-ups, a command that was sent to a device that reports settles soon after its deadline', () => {
    const sent: Happening[] = ['approved', 'started', 'sent', 'accepted'].map((type) => [0, { type }] as Happening);
    const report = fc.tuple(
      fc.constantFrom(250, 1_000, 4_000),
      fc.oneof(
        fc.constantFrom(
          { target_temperature: 24 },
          { hvac_mode: 'heat' },
          { target_temperature: 24, hvac_mode: 'heat' },
        ),
        fc.constantFrom({ target_temperature: 22 }, { hvac_mode: 'cool' }),
      ),
    );
    fc.assert(
      fc.property(command, fc.array(report, { maxLength: 8 }), (first, reports) => {
        const happenings = reports.map(([gap, values]) => [gap, reported(values)] as Happening);
        const { states, effects } = live(first, [...sent, ...happenings]);
        let actuation = states.at(-1) as Actuation;
        const { deadline, fields, rules, updatedAt } = actuation;
        if (actuation.phase !== 'verifying' || deadline === null || fields.some((track) => !track.readback.push))
          return;
        let wake = effects.findLast(({ effect }) => effect.type === 'wake')?.effect;
        for (let turn = 0; turn < 10 && !actuation.outcome && wake?.type === 'wake'; turn += 1) {
          const done = step(actuation, { type: 'tick', at: at(wake.mono) });
          actuation = done.actuation;
          wake = done.effects.find((effect) => effect.type === 'wake');
        }
        const latest = Math.max(deadline, updatedAt.mono) + 2 * rules.settleMs;
        expect(actuation.outcome?.at.mono).toBeLessThanOrEqual(latest);
      }),
      { numRuns: 3_000 },
    );
  });

  it('the record is plain data: what went to the disk and back goes on in the same way', () => {
    fc.assert(
      fc.property(command, fc.array(happening, { maxLength: 25 }), happening, (first, happenings, next) => {
        const actuation = live(first, happenings).states.at(-1) as Actuation;
        const thawed = JSON.parse(JSON.stringify(actuation)) as Actuation;
        const event = toEvent(500_000, next);
        expect(step(thawed, event)).toEqual(step(actuation, event));
      }),
      { numRuns: 500 },
    );
  });

  it('every state can be told in one sentence', () => {
    property(({ states }) => {
      for (const state of states) expect(sentence(state)).toMatch(/^AC: \S.*\.$/s);
    });
  });
});
