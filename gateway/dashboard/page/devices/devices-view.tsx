import type { Signal } from '@preact/signals';
import type { DeviceWire } from '../../wire.ts';
import { Empty } from '../parts/empty.tsx';
import { SkeletonCards } from '../parts/skeleton.tsx';
import { devices, isAdmin, mayRead } from '../state/home.ts';
import { DeviceCard } from './device-card.tsx';
import { useFreshDevices } from './keep-fresh.ts';
import { LeftOut } from './left-out.tsx';

const NO_AREA = 'Elsewhere';

/** In a house with more devices than these, controls are opened card by card. */
const MOST_OPEN = 16;

/** The house: its devices by area, and what an owner may miss among them. */
export function DevicesView() {
  useFreshDevices();
  const all = devices.value;
  if (!all) return <SkeletonCards />;
  if (!mayRead.value) {
    return <Empty title="Nothing to see">This token answers questions; the next one appears here by itself.</Empty>;
  }
  return (
    <>
      <House all={[...all.values()]} />
      {isAdmin.value && <LeftOut />}
    </>
  );
}

function House({ all }: { readonly all: readonly Signal<DeviceWire>[] }) {
  if (all.length === 0) {
    return (
      <Empty title="No devices yet">
        Describe one in the configuration, or let one announce itself over MQTT; it appears here by itself.
      </Empty>
    );
  }
  return (
    <div class="areas">
      {areas(all).map(([area, members]) => (
        <section key={area} class={members.length === 1 ? 'area single' : 'area'} aria-label={area}>
          <h2>{area}</h2>
          <div class="cards">
            {members.map((device) => (
              <DeviceCard key={device.peek().id} device={device} isCompact={all.length > MOST_OPEN} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** The areas in alphabetical order, those without one last. */
function areas(all: readonly Signal<DeviceWire>[]): [string, Signal<DeviceWire>[]][] {
  const found = new Map<string, Signal<DeviceWire>[]>();
  // Where a device stands does not change while it is there: reading it here must not draw the whole house again.
  for (const device of all) {
    const area = device.peek().area ?? NO_AREA;
    found.set(area, [...(found.get(area) ?? []), device]);
  }
  const rank = (area: string) => (area === NO_AREA ? 1 : 0);
  return [...found].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
}
