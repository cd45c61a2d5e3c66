const PATHS = {
  check: 'M5 12.5 10 17.5 19 7',
  still: 'M5 9h14M5 15h14',
  apart: 'M5 9h14M5 15h14M16 5 8 19',
  moving: 'M5 12h12M12 6l6 6-6 6',
  broken: 'M4 4l16 16M8.5 15.5a5 5 0 0 1 1-6M14 8a5 5 0 0 1 2 7M12 19h.01',
  cross: 'M6 6l12 12M18 6 6 18',
  question: 'M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .6-1.5 1.2-1.5 2.3M12 18.5h.01',
  forward: 'M5 6l6 6-6 6M12 6l6 6-6 6',
  minus: 'M5 12h14',
  plus: 'M5 12h14M12 5v14',
  stop: 'M7 7h10v10H7z',
  alert: 'M12 6v8M12 18h.01',
  clock: 'M12 7v5l3 2M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0',
  house: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9',
  list: 'M9 7h11M9 12h11M9 17h11M4.5 7h.01M4.5 12h.01M4.5 17h.01',
  flask: 'M9.5 4h5M10.5 4v6L5.5 18.5A1 1 0 0 0 6.4 20h11.2a1 1 0 0 0 .9-1.5L13.5 10V4',
  plug: 'M9 4v5M15 4v5M6.5 9h11v2.5a5.5 5.5 0 0 1-11 0zM12 17v3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z',
  half: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  leave: 'M10 5H5v14h5M14 8l4 4-4 4M18 12H9',
  back: 'M19 12H6M11 6l-6 6 6 6',
  again: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4',
  copy: 'M9 9h10v10H9zM15 9V5H5v10h4',
  down: 'M6 9.5l6 6 6-6',
} as const;

/** The page's drawings, by name. */
export type IconName = keyof typeof PATHS;

/** A drawing beside words; it says nothing that the words do not, so screen readers pass over it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
