import type { FormAnswer } from './connection.ts';
import type { Form } from './task-state.ts';

/** A question that waits for a person. */
export interface Question {
  readonly wishId: string;
  /** Tells it from other questions of the same wish. */
  readonly key: string;
  readonly form: Form;
}

/** What becomes of questions. */
export type QuestionEvent =
  | { readonly type: 'question'; readonly question: Question }
  /** It was answered elsewhere, or nobody waits for its answer any more. */
  | { readonly type: 'withdrawn'; readonly question: Question };

/** How an answer reaches whoever asked. */
type Deliver = (answer: FormAnswer) => Promise<void>;

/** All questions that wait, each known until it is answered or withdrawn, in whatever order that happens. */
export class Questions {
  readonly #emit: (event: QuestionEvent) => void;
  readonly #open = new Map<string, { readonly question: Question; readonly deliver: Deliver }>();

  constructor(emit: (event: QuestionEvent) => void) {
    this.#emit = emit;
  }

  /** Those that wait now, oldest first. */
  list(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Puts a question; one that waits already is not put again. */
  put(question: Question, deliver: Deliver): void {
    const id = idOf(question.wishId, question.key);
    if (this.#open.has(id)) return;
    this.#open.set(id, { question, deliver });
    this.#emit({ type: 'question', question });
  }

  /** Withdraws the questions of a wish but for those that are still asked. */
  keepOnly(wishId: string, keys: ReadonlySet<string>): void {
    for (const [id, { question }] of this.#open) {
      if (question.wishId !== wishId || keys.has(question.key)) continue;
      this.#open.delete(id);
      this.#emit({ type: 'withdrawn', question });
    }
  }

  /**
   * Hands an answer to whoever asked. The question waits on if that fails.
   * @returns false where nothing waits under these names (any more)
   */
  async answer(wishId: string, key: string, answer: FormAnswer): Promise<boolean> {
    const id = idOf(wishId, key);
    const open = this.#open.get(id);
    if (!open) return false;
    await open.deliver(answer);
    // Gone without a word: whoever answers knows.
    this.#open.delete(id);
    return true;
  }
}

const idOf = (wishId: string, key: string) => `${wishId}\n${key}`;

/**
 * A plain yes or no as the answer to a form.
 * @returns null where the form asks for more than that
 */
export function yesOrNo({ schema }: Form, yes: boolean): FormAnswer | null {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.some(([, { type }]) => type !== 'boolean')) return null;
  if (!yes) return { action: 'decline' };
  return { action: 'accept', content: Object.fromEntries(fields.map(([name]) => [name, true])) };
}
