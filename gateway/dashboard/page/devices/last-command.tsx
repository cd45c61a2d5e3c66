import type { CommandWire } from '../../wire.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { VerdictBadge } from '../parts/verdict-badge.tsx';
import { commandHref } from '../route.ts';
import { now } from '../state/clock.ts';
import { sentenceOf, span } from '../words.ts';
import { refusalOf } from './wishes.ts';

/** What became of the newest command of a device, or how far it has come. Its place is there before there is one. */
export function LastCommand({
  device,
  command,
}: {
  readonly device: string;
  readonly command: CommandWire | undefined;
}) {
  const refusal = refusalOf(device);
  return (
    <div class="last-command" role="status">
      {refusal !== undefined ? (
        <p class="refusal">Not taken: {refusal}</p>
      ) : command ? (
        <a href={commandHref(command.id)} class="last-command-link">
          <span class="last-command-head">
            <VerdictBadge command={command} />
            {command.ended_at ? <RelativeTime at={command.ended_at} /> : <Progress command={command} />}
          </span>
          <span class="last-command-text">{sentenceOf(command)}</span>
        </a>
      ) : (
        <p class="quiet">No command yet</p>
      )}
    </div>
  );
}

/** How long an open command has taken, beside how long it usually takes. */
export function Progress({ command }: { readonly command: CommandWire }) {
  const from = Date.parse(command.sent_at ?? command.created_at);
  const takenMs = Math.max(0, now.value - from);
  const usually = command.usual_ms === null || !command.sent_at ? '' : `, usually ${span(command.usual_ms)}`;
  const dueMs = command.usual_ms ?? (command.deadline_at ? Date.parse(command.deadline_at) - from : null);
  return (
    <span class="progress">
      {command.sent_at && dueMs !== null && (
        <progress max={Math.max(1, dueMs)} value={Math.min(takenMs, dueMs)} aria-label="time taken" />
      )}
      <span class="ago">
        {Math.round(takenMs / 1_000)} s{usually}
      </span>
    </span>
  );
}
