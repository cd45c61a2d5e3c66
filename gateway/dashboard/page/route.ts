import { computed, signal } from '@preact/signals';

/** What the page can show. `command` is one command's own address. */
export type View = 'devices' | 'commands' | 'command' | 'simulator' | 'connect';

export interface Route {
  readonly view: View;
  /** The command of the view `command`; empty elsewhere. */
  readonly id: string;
  /** The filters of the view `commands`. */
  readonly filters: URLSearchParams;
}

/** Reads an address of the page: `#/commands?device=ac`, `#/commands/ID`. What it does not know shows the devices. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/');
  const filters = new URLSearchParams(query);
  if (view === 'commands') return { view: id ? 'command' : 'commands', id: decodeURIComponent(id), filters };
  if (view === 'simulator' || view === 'connect') return { view, id: '', filters };
  return { view: 'devices', id: '', filters };
}

const hash = signal(globalThis.location?.hash ?? '');
globalThis.addEventListener?.('hashchange', () => {
  hash.value = location.hash;
});

/** What the page's address asks for. */
export const route = computed(() => readRoute(hash.value));

/** The address of one command. @param day the day of history that it is in; empty: it is still in the store */
export function commandHref(id: string, day = ''): string {
  return `#/commands/${encodeURIComponent(id)}${day ? `?day=${day}` : ''}`;
}

/** The address of the list of commands under these filters; empty ones are left out. */
export function commandsHref(filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, word]) => word !== '')).toString();
  return query ? `#/commands?${query}` : '#/commands';
}
