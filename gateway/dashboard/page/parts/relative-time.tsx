import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { now } from '../state/clock.ts';
import { ago } from '../words.ts';

/** How long ago an instant of the gateway's clock was; it counts on by itself, and only its text is drawn again. */
export function RelativeTime({ at }: { readonly at: string }) {
  const since = useSignal(at);
  useEffect(() => {
    since.value = at;
  }, [at, since]);
  const text = useComputed(() => ago(now.value - Date.parse(since.value)));
  return (
    <time class="ago" dateTime={at} title={new Date(at).toLocaleString()}>
      {text}
    </time>
  );
}
