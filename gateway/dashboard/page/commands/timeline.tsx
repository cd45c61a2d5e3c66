import type { CommandStoryWire, MomentWire } from '../../wire.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { clockTime, span, together } from '../words.ts';

/** How each kind of moment is drawn and named. */
const MOMENTS = {
  created: { icon: 'plus', words: 'Created' },
  asked: { icon: 'person', words: 'Asked' },
  answered: { icon: 'person', words: 'Answered' },
  sent: { icon: 'moving', words: 'Sent' },
  acknowledged: { icon: 'check', words: 'Acknowledged' },
  reading: { icon: 'check', words: 'Reading' },
  set_aside: { icon: 'minus', words: 'Set aside' },
  offline: { icon: 'broken', words: 'Offline' },
  restarted: { icon: 'again', words: 'Restarted' },
  ended: { icon: 'stop', words: 'Ended' },
  drifted: { icon: 'apart', words: 'Drifted' },
} as const satisfies Record<MomentWire['type'], { icon: IconName; words: string }>;

/** The word for a kind of moment. */
export function momentWords(type: MomentWire['type']): string {
  return MOMENTS[type].words;
}

/** Every moment of a command in order. It says in words what the plots draw. */
export function Timeline({ story }: { readonly story: CommandStoryWire }) {
  const from = Date.parse(story.command.created_at);
  return (
    <section class="timeline" aria-label="Timeline">
      <h3>Timeline</h3>
      <ol>
        {story.moments.map((moment, index) => (
          <li key={`${moment.at}-${index}`} class={`moment is-${moment.type}`}>
            <span class="moment-at">
              <time dateTime={moment.at} title={new Date(moment.at).toLocaleString()}>
                {clockTime(moment.at)}
              </time>
              <span class="quiet">+{span(Date.parse(moment.at) - from)}</span>
            </span>
            <span class="moment-mark">
              <Icon name={MOMENTS[moment.type].icon} />
            </span>
            <span class="moment-text">
              {together(moment.type === 'reading' ? `Read: ${moment.text}` : moment.text)}
              {moment.count !== undefined && moment.count > 1 && (
                <span class="quiet">
                  {' '}
                  ({moment.count} times{moment.until ? `, until +${span(Date.parse(moment.until) - from)}` : ''})
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
