import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { DiscoveryWire } from '../../wire.ts';
import { api } from '../api.ts';
import { Icon } from '../parts/icon.tsx';

/** What announced itself and is no card above, with the reason, for the owner who misses a device. */
export function LeftOut() {
  const told = useSignal<DiscoveryWire['left_out']>([]);
  useEffect(() => {
    api.discovery().then(
      ({ left_out }) => {
        told.value = left_out;
      },
      // Whoever misses a device finds the same in the log; the house itself needs none of it.
      () => {},
    );
  }, [told]);
  if (told.value.length === 0) return null;
  return (
    <details class="more left-out">
      <summary>
        <Icon name="down" />
        <span class="more-text">
          {told.value.length} {told.value.length === 1 ? 'announcement' : 'announcements'} not taken in
        </span>
      </summary>
      <ul>
        {told.value.map(({ topic, component, reason }) => (
          <li key={`${topic} ${component}`}>
            <code>{component ? `${topic}, ${component}` : topic}</code>
            <p class="quiet">{reason}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}
