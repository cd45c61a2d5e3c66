import { VERDICT_MEANINGS } from '../../../domain/meanings.ts';
import type { Verdict } from '../../../domain/verdict.ts';
import type { CommandWire } from '../../wire.ts';
import { PHASE_WORDS } from '../words.ts';
import { Icon, type IconName } from './icon.tsx';

/** How a command's standing is shown: a word, a drawing and a tone, so that colour is never the only sign. */
export interface Standing {
  readonly words: string;
  readonly icon: IconName;
  readonly tone: 'good' | 'warn' | 'bad' | 'quiet' | 'open' | 'ask';
  readonly meaning: string;
}

const VERDICT_LOOKS = {
  verified: { words: 'Verified', icon: 'check', tone: 'good' },
  ignored: { words: 'Ignored', icon: 'still', tone: 'bad' },
  mismatch: { words: 'Mismatch', icon: 'apart', tone: 'bad' },
  still_moving: { words: 'Still moving', icon: 'moving', tone: 'warn' },
  unreachable: { words: 'Unreachable', icon: 'broken', tone: 'bad' },
  rejected: { words: 'Rejected', icon: 'cross', tone: 'bad' },
  unconfirmed: { words: 'Unconfirmed', icon: 'question', tone: 'warn' },
  superseded: { words: 'Superseded', icon: 'forward', tone: 'quiet' },
  declined: { words: 'Declined', icon: 'minus', tone: 'quiet' },
} as const satisfies Record<Verdict, Omit<Standing, 'meaning'>>;

/** A verdict's word for people. */
export function verdictWords(verdict: Verdict): string {
  return VERDICT_LOOKS[verdict].words;
}

/** The standing that a verdict is. */
export function verdictStanding(verdict: Verdict): Standing {
  return { ...VERDICT_LOOKS[verdict], meaning: VERDICT_MEANINGS[verdict] };
}

/** Where a command stands now. */
export function standingOf({ outcome, verdict, phase }: CommandWire): Standing {
  if (verdict) return verdictStanding(verdict);
  if (outcome === 'cancelled')
    return { words: 'Cancelled', icon: 'stop', tone: 'quiet', meaning: 'it is no longer tracked' };
  if (outcome === 'failed')
    return { words: 'Failed', icon: 'alert', tone: 'bad', meaning: 'the gateway could not say' };
  if (phase === 'awaiting_approval')
    return { words: 'Waiting', icon: 'person', tone: 'ask', meaning: PHASE_WORDS[phase] };
  return {
    words: phase === 'queued' ? 'Queued' : 'Under way',
    icon: 'clock',
    tone: 'open',
    meaning: PHASE_WORDS[phase],
  };
}

/** A standing as a small label. */
export function Badge({ standing }: { readonly standing: Standing }) {
  return (
    <span class={`badge tone-${standing.tone}`} title={standing.meaning}>
      <Icon name={standing.icon} />
      {standing.words}
    </span>
  );
}

/** Where a command stands, as a small label. */
export function VerdictBadge({ command }: { readonly command: CommandWire }) {
  return <Badge standing={standingOf(command)} />;
}
