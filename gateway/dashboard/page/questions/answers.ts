import { computed, signal } from '@preact/signals';
import type { CommandWire } from '../../wire.ts';
import { api, Refusal, wordsOf } from '../api.ts';
import { waitingCommands } from '../state/home.ts';

/** An answer given here stands this long where its buttons were, in ms. */
const STANDS_MS = 4_000;

/** An answer that was given on this page. From the tap on it is the only one that this page gives. */
export type GivenAnswer =
  | { readonly state: 'sending' | 'stands'; readonly approved: boolean }
  /** It came too late, or is not allowed; the question does not come back by itself. */
  | { readonly state: 'refused'; readonly message: string }
  /** The gateway was not reached: it can be given once more. */
  | { readonly state: 'lost'; readonly message: string };

/** One question on the page. */
export interface AskedQuestion {
  readonly command: CommandWire;
  /** What was answered here; null: nothing. */
  readonly answer: GivenAnswer | null;
}

interface Given {
  readonly command: CommandWire;
  readonly answer: GivenAnswer;
}

const given = signal<ReadonlyMap<string, Given>>(new Map());

/** The questions that wait, and for a moment those that were answered here; one answered elsewhere is gone at once. */
export const questions = computed<readonly AskedQuestion[]>(() => {
  const waiting = waitingCommands.value;
  const answered = [...given.value.values()].filter(({ command }) => !waiting.some(({ id }) => id === command.id));
  return [
    ...answered.filter(({ answer }) => answer.state !== 'lost'),
    ...waiting.map((command) => ({ command, answer: given.value.get(command.id)?.answer ?? null })),
  ];
});

/** Answers a question. A second tap changes nothing, whichever button it hits. */
export async function answerQuestion(command: CommandWire, approved: boolean): Promise<void> {
  const before = given.peek().get(command.id)?.answer;
  if (before && before.state !== 'lost') return;
  put(command, { state: 'sending', approved });
  try {
    await api.answer(command.id, approved);
    put(command, { state: 'stands', approved });
  } catch (error) {
    const wasReached = error instanceof Refusal && error.status !== 0;
    put(command, { state: wasReached ? 'refused' : 'lost', message: wordsOf(error) });
    if (!wasReached) return;
  }
  setTimeout(() => forget(command.id), STANDS_MS);
}

function put(command: CommandWire, answer: GivenAnswer): void {
  given.value = new Map(given.value).set(command.id, { command, answer });
}

function forget(id: string): void {
  given.value = new Map([...given.value].filter(([each]) => each !== id));
}
