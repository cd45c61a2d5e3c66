import { signal } from '@preact/signals';

/** `auto` follows the system. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'readback.theme';

/** The reader's choice, kept in this browser. */
export const theme = signal<Theme>(THEMES.find((known) => known === localStorage.getItem(KEY)) ?? 'auto');

/** Puts the choice into force; the style sheets look at the root element. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

/** Changes to the next choice. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}
