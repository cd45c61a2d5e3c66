import { signal } from '@preact/signals';
import { api, Refusal, wordsOf } from '../api.ts';
import type { Session } from '../session-wire.ts';
import { setClock } from './clock.ts';
import { forgetHome, home } from './home.ts';
import { LiveStream } from './live.ts';

/** How the reader stands to the gateway. */
export type Entry =
  | { readonly state: 'entering' }
  | { readonly state: 'signed_out' }
  | { readonly state: 'inside' }
  | { readonly state: 'failed'; readonly message: string };

/** Whether the page is in, and if not, why. */
export const entry = signal<Entry>({ state: 'entering' });

/** What the gateway says of this browser; null until it has. */
export const session = signal<Session | null>(null);

const stream = new LiveStream(stillInside);

/** Asks who this browser is, and goes in or to the sign-in. */
export async function enter(): Promise<void> {
  try {
    if (!(await mayEnter())) return;
    await refreshHome();
    entry.value = { state: 'inside' };
    stream.start();
  } catch (error) {
    entry.value = { state: 'failed', message: wordsOf(error) };
  }
}

/** Signs in with a token. @throws Refusal where the gateway does not know it */
export async function signIn(token: string): Promise<void> {
  await api.signIn(token);
  await enter();
}

/** Signs out; the page forgets what it saw. */
export async function signOut(): Promise<void> {
  await api.signOut();
  leave();
}

/** Whether the gateway, when it is back, is the one that served this page, to a reader whom it still knows. */
async function stillInside(): Promise<boolean> {
  if (!(await mayEnter())) {
    leave();
    return false;
  }
  const before = home.peek()?.version;
  await refreshHome();
  // An upgraded gateway speaks to a page of its own version.
  if (before !== undefined && home.peek()?.version !== before) location.reload();
  return true;
}

async function mayEnter(): Promise<boolean> {
  const found = await api.session();
  session.value = found;
  if (!found.needs_token || found.signed_in) return true;
  entry.value = { state: 'signed_out' };
  return false;
}

async function refreshHome(): Promise<void> {
  const told = await api.home().catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 401) entry.value = { state: 'signed_out' };
    throw error;
  });
  setClock(told.now);
  home.value = told;
}

function leave(): void {
  stream.stop();
  forgetHome();
  entry.value = { state: 'signed_out' };
}
