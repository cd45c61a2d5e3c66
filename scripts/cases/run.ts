import { messageOf } from '../../gateway/domain/errors.ts';
import type { Clock } from '../../gateway/domain/time.ts';
import type { Case } from './case.ts';
import { compare, type Miss, type Played } from './compare.ts';
import { play } from './play.ts';
import { SteadyClock } from './steady-clock.ts';

/** Cases at a time: most of a situation is waiting, and a few at a time do not get in each other's way. */
const AT_A_TIME = 4;

/** A case and what came of it. */
export interface Judged {
  readonly id: string;
  readonly kind: string;
  readonly verdict: string | null;
  readonly reason: string | null;
  /** From time zero to the verdict, in ms of the situation. */
  readonly verdict_at: number | null;
  /** What was expected and did not come; empty: it passed. */
  readonly misses: readonly Miss[];
}

/**
 * Plays cases, a few at a time, each against a gateway of its own.
 * @param speed how much faster than real
 * @param onJudged hears each as soon as it and all before it are judged, so in their order
 */
export async function runCases(
  cases: readonly Case[],
  speed: number,
  onJudged: (judged: Judged) => void = () => {},
): Promise<Judged[]> {
  const judged: (Judged | undefined)[] = cases.map(() => undefined);
  const clock = new SteadyClock();
  let next = 0;
  let told = 0;
  const work = async () => {
    for (let index = next++; index < cases.length; index = next++) {
      const situation = cases[index];
      if (!situation) return;
      judged[index] = await judge(situation, clock, speed);
      for (let ready = judged[told]; ready; ready = judged[++told]) onJudged(ready);
    }
  };
  clock.start();
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    clock.stop();
  }
  return judged.filter((each) => each !== undefined);
}

async function judge(situation: Case, clock: Clock, speed: number): Promise<Judged> {
  const { id, kind } = situation;
  let played: Played;
  try {
    played = await play(situation, clock, speed);
  } catch (error) {
    // A case that cannot be played is one that failed; the others go on.
    const miss = { expectation: 'play', expected: 'a case that can be played', got: messageOf(error) };
    return { id, kind, verdict: null, reason: null, verdict_at: null, misses: [miss] };
  }
  const { result, verdictAt } = played;
  return {
    id,
    kind,
    verdict: result?.verdict ?? null,
    reason: result?.reason ?? null,
    verdict_at: verdictAt === null ? null : Math.round(verdictAt),
    misses: compare(situation, played, speed),
  };
}
