import { IconButton } from './parts/button.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { route, type View } from './route.ts';
import { home, isAdmin, openCount } from './state/home.ts';
import { liveness } from './state/live.ts';
import { session, signOut } from './state/session.ts';
import { nextTheme, type Theme, theme } from './state/theme.ts';

const THEME_LOOKS = {
  auto: { icon: 'half', words: 'Colours: as the system. Change to light' },
  light: { icon: 'sun', words: 'Colours: light. Change to dark' },
  dark: { icon: 'moon', words: 'Colours: dark. Change to those of the system' },
} as const satisfies Record<Theme, { icon: IconName; words: string }>;

/** The name, the ways through the page, and whether it is live. On a phone the ways lie at the bottom, under the thumb. */
export function Header() {
  const { icon, words } = THEME_LOOKS[theme.value];
  return (
    <header class="top">
      <h1 class="wordmark">Readback</h1>
      <nav class="ways" aria-label="Views">
        <Way to="devices" views={['devices']} icon="house" words="Devices" />
        <Way to="commands" views={['commands', 'command']} icon="list" words="Commands" count={openCount.value} />
        {home.value?.simulator && isAdmin.value && (
          <Way to="simulator" views={['simulator']} icon="flask" words="Simulator" />
        )}
        <Way to="connect" views={['connect']} icon="plug" words="Connect" />
      </nav>
      <div class="top-side">
        <LivenessSign />
        <IconButton label={words} icon={icon} onClick={nextTheme} />
        {session.value?.needs_token && <IconButton label="Sign out" icon="leave" onClick={signOut} />}
      </div>
    </header>
  );
}

function Way(props: {
  readonly to: View;
  readonly views: readonly View[];
  readonly icon: IconName;
  readonly words: string;
  readonly count?: number;
}) {
  const { to, views, icon, words, count = 0 } = props;
  const isHere = views.includes(route.value.view);
  return (
    <a class="way" href={`#/${to}`} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{words}</span>
      {count > 0 && (
        <span class="count">
          {count}
          <span class="unseen"> under way</span>
        </span>
      )}
    </a>
  );
}

/** The seconds count on for the eye alone; a screen reader hears of the change only. */
function LivenessSign() {
  const live = liveness.value;
  switch (live.state) {
    case 'live':
      return (
        <span class="liveness is-live" role="status">
          Live
        </span>
      );
    case 'connecting':
      return (
        <span class="liveness" role="status">
          Connecting
        </span>
      );
    case 'stale':
      return (
        <span class="liveness is-stale" role="status">
          <span class="unseen">Connection lost, reconnecting</span>
          <span aria-hidden="true">
            Last heard {live.silentS} s ago<span class="wide-only">, reconnecting</span>
          </span>
        </span>
      );
  }
}
