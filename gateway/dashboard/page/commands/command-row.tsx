import type { CommandWire } from '../../wire.ts';
import { Progress } from '../devices/last-command.tsx';
import { VerdictBadge } from '../parts/verdict-badge.tsx';
import { commandHref } from '../route.ts';
import { isOpen } from '../state/home.ts';
import { clockTime, sentenceOf } from '../words.ts';

/** One command in the list. @param day the day of history that is listed; empty: none */
export function CommandRow({ command, day }: { readonly command: CommandWire; readonly day: string }) {
  return (
    <li class="row">
      <a class="row-link" href={commandHref(command.id, day)}>
        <VerdictBadge command={command} />
        <span class="row-main">
          <span class="row-device">{command.device_name}</span>
          <span class="row-text">{sentenceOf(command)}</span>
        </span>
        <span class="row-side">
          <time dateTime={command.created_at} title={new Date(command.created_at).toLocaleString()}>
            {when(command.created_at)}
          </time>
          {isOpen(command) ? <Progress command={command} /> : <span class="quiet">by {command.principal}</span>}
          {command.drifts > 0 && <span class="told apart">changed later</span>}
        </span>
      </a>
    </li>
  );
}

/** The time of today, and the day of any other. */
function when(iso: string): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? clockTime(iso)
    : `${date.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${clockTime(iso)}`;
}
