import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AgeMark, ageMs, livedMs, type Moment, marked } from '../../gateway/domain/age.ts';

const EVERY_MS = 10;
const UP_TO_MS = 200;
const LONGEST_STEP_MS = 30;

/** A life of the machine: how long it runs each time, and in what steps it is looked at. */
const boots = fc.array(fc.array(fc.integer({ min: 1, max: LONGEST_STEP_MS }), { minLength: 1, maxLength: 30 }), {
  minLength: 1,
  maxLength: 6,
});

/** Lives it, with a mark whenever one is due. @returns every moment with how long the machine had run by then */
function live(steps: readonly (readonly number[])[]) {
  const moments: { readonly moment: Moment; readonly lived: number }[] = [];
  let marks: readonly AgeMark[] = [];
  let lived = 0;
  for (const [boot, ofBoot] of steps.entries()) {
    let mono = 1_000 * boot;
    for (const ms of ofBoot) {
      // What passes before the first look of a boot is not seen.
      if (mono > 1_000 * boot) lived += ms;
      mono += ms;
      const moment = { boot: `boot-${boot}`, mono };
      marks = marked(marks, moment, EVERY_MS, UP_TO_MS);
      moments.push({ moment, lived });
    }
  }
  return { moments, marks };
}

it('tells ages over boots: never too old, and too young by no more than lies between two marks of each boot', () => {
  fc.assert(
    fc.property(boots, (steps) => {
      const { moments, marks } = live(steps);
      const now = moments.at(-1);
      if (!now) return;
      expect(livedMs(marks, now.moment)).toBeLessThanOrEqual(now.lived);
      const unseen = (steps.length + 1) * (EVERY_MS + LONGEST_STEP_MS);
      for (const { moment, lived } of moments) {
        const age = now.lived - lived;
        const told = ageMs(marks, moment, now.moment);
        expect(told).toBeLessThanOrEqual(age);
        // Of the oldest it is enough to know that they are older than all that is told apart.
        if (told < UP_TO_MS) expect(told).toBeGreaterThanOrEqual(Math.min(age, UP_TO_MS) - unseen);
      }
    }),
  );
});

it('keeps no more marks than it needs, however long the machine runs or often it boots', () => {
  const { marks } = live([Array.from({ length: 5_000 }, () => 10)]);
  expect(marks.length).toBeLessThanOrEqual(UP_TO_MS / EVERY_MS + 3);
  const { marks: ofLoop } = live(Array.from({ length: 3_000 }, () => [1]));
  expect(ofLoop.length).toBeLessThanOrEqual(1_000);
});

it('takes what it knows nothing of to be as young as can be', () => {
  expect(ageMs([], { boot: 'a', mono: 5 }, { boot: 'a', mono: 50 })).toBe(0);
  const { marks, moments } = live([[10, 10, 10]]);
  const now = moments.at(-1)?.moment ?? { boot: '', mono: 0 };
  expect(ageMs(marks, { boot: 'unknown', mono: 5 }, now)).toBe(20);
});
