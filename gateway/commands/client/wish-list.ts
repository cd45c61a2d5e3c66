import { nameOf, type Wish } from '../../client/wish.ts';
import { wishData } from './event-lines.ts';
import { endedAs } from './exit-code.ts';
import { type ClientOptions, openClientSession, standingOf } from './session.ts';

/** What `readback tasks` is told. */
export interface TasksOptions extends ClientOptions {
  /** Those that have ended too. */
  readonly all?: boolean;
  readonly json?: boolean;
}

/** `readback tasks`: what was wished from here and how it stands, as far as this side knows, oldest first. */
export async function listWishes({ all = false, json = false, ...options }: TasksOptions): Promise<string> {
  const session = await openClientSession(options);
  try {
    const kept = [...session.client.wishes(), ...(await session.folder.others())];
    const wishes = kept.filter(({ outcome }) => all || outcome === null).sort((a, b) => a.madeAt - b.madeAt);
    if (json || !process.stdout.isTTY) return wishes.map((wish) => JSON.stringify(listed(wish))).join('\n');
    if (wishes.length === 0) return `Nothing is under way${all ? '' : '; --all lists what has ended'}.`;
    return wishes.map(lineOf).join('\n');
  } finally {
    await session.close();
  }
}

function listed(wish: Wish): object {
  return { stage: wish.stage, ...wishData(wish) };
}

function lineOf(wish: Wish): string {
  const { id, target, outcome, text } = wish;
  const stands = outcome ? `${endedAs(outcome)}: ${text}` : standingOf(wish);
  return `${id.slice(0, 8)}  ${nameOf(target)}  ${stands}`;
}
