import { useEffect } from 'preact/hooks';
import type { DeviceWire } from '../../wire.ts';
import { api } from '../api.ts';
import { gatewayNow } from '../state/clock.ts';
import { devices } from '../state/home.ts';

/** A device that says nothing by itself is asked again when its values are this old, in ms, while somebody looks. */
const OLD_MS = 30_000;

const ROUND_MS = 3_000;

/** Devices that are asked at a time: a page is no reason for a storm. */
const AT_ONCE = 4;

/** Keeps what is shown fresh for as long as the devices are looked at. */
export function useFreshDevices(): void {
  useEffect(() => {
    const askedAt = new Map<string, number>();
    let isBusy = false;
    const round = async () => {
      if (isBusy || document.hidden) return;
      isBusy = true;
      const all = [...(devices.peek() ?? new Map()).values()].map((device) => device.peek());
      await askAll(
        all.filter((device) => isDue(device, askedAt)).map(({ id }) => id),
        askedAt,
      );
      isBusy = false;
    };
    const stopListening = devices.subscribe(() => void round());
    const timer = setInterval(() => void round(), ROUND_MS);
    return () => {
      stopListening();
      clearInterval(timer);
    };
  }, []);
}

function isDue({ id, fields }: DeviceWire, askedAt: ReadonlyMap<string, number>): boolean {
  const readAt = Math.max(...fields.map(({ at }) => (at === null ? 0 : Date.parse(at))));
  return gatewayNow() - Math.max(readAt, askedAt.get(id) ?? 0) > OLD_MS;
}

async function askAll(ids: readonly string[], askedAt: Map<string, number>): Promise<void> {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    for (const id of some) askedAt.set(id, gatewayNow());
    // What is read comes by the stream; a device that does not answer is known by its age.
    await Promise.allSettled(some.map((id) => api.look(id)));
  }
}
