import { emitKeypressEvents, type Key } from 'node:readline';
import { yesOrNo } from '../../client/questions.ts';
import type { TaskClient } from '../../client/task-client.ts';
import { messageOf } from '../../domain/errors.ts';
import { Board } from './board.ts';
import { EventLines } from './event-lines.ts';

/** What a person or a program sees of a client while a command runs. */
export interface Show {
  /** Resolves when whoever watches has had enough. */
  readonly left: Promise<void>;
  end(): void;
}

/** How often the lines of a terminal are drawn anew, in ms. */
const DRAW_MS = 125;

/** Shows a client's wishes: lines that live in a terminal, JSON lines in a pipe. */
export async function show(client: TaskClient, { json }: { readonly json: boolean }): Promise<Show> {
  return json || !process.stdout.isTTY ? showEvents(client) : showBoard(client);
}

function showEvents(client: TaskClient): Show {
  const lines = new EventLines();
  const unsubscribe = client.subscribe((event) => {
    const line = lines.lineOf(event);
    if (line !== undefined) process.stdout.write(`${line}\n`);
  });
  const left = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  return { left, end: unsubscribe };
}

async function showBoard(client: TaskClient): Promise<Show> {
  // Loaded late: a command in a pipe does without it.
  const { default: update } = await import('log-update');
  const board = new Board();
  const { stdin, stdout } = process;
  const draw = () => update(board.lines(Date.now(), stdout.columns, stdout.rows).join('\n'));
  const unsubscribe = client.subscribe((event) => board.hear(event));
  const timer = setInterval(draw, DRAW_MS);
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const onKey = (_text: string | undefined, { name, ctrl }: Key) => {
    if (ctrl && (name === 'c' || name === 'd')) leave();
    else if (name === 'up' || name === 'down') board.move(name === 'up' ? -1 : 1);
    else if (name === 'y' || name === 'n') void answerAsked(client, board, name === 'y');
  };
  if (stdin.isTTY) {
    emitKeypressEvents(stdin);
    stdin.setRawMode(true);
    stdin.on('keypress', onKey);
    stdin.resume();
  }
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  let ended = false;
  return {
    left,
    end() {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      unsubscribe();
      draw();
      update.done();
      if (!stdin.isTTY) return;
      stdin.off('keypress', onKey);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

/** The question that is in focus gets its answer; one that wants more than a yes or no is answered by a command of its own. */
async function answerAsked(client: TaskClient, board: Board, yes: boolean): Promise<void> {
  const { asked } = board;
  const answer = asked && yesOrNo(asked.form, yes);
  if (!asked) return;
  if (!answer) {
    console.error(`This question asks for more: readback answer ${asked.wishId.slice(0, 8)} field=value …`);
    return;
  }
  board.drop(asked);
  try {
    await client.answer(asked.wishId, asked.key, answer);
  } catch (error) {
    board.hear({ type: 'question', question: asked });
    console.error(`The answer did not reach the server: ${messageOf(error)}`);
  }
}
