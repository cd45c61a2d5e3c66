import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Commands } from '../actuation/commands.ts';
import { Pace } from '../streams/pace.ts';
import { deviceUri } from './home-resources.ts';

/** The shortest time between two notifications of one device, and of the lists, in ms. */
const EVERY_MS = 1_000;

const LISTS = 'lists';

/** What changes in a home, for whoever listens, until `stopping` aborts. */
export function homeEvents(commands: Commands, stopping: AbortSignal): ServerEventBus {
  const bus = new InMemoryServerEventBus();
  const pace = new Pace(EVERY_MS, (topic) => {
    if (topic === LISTS) {
      bus.publish({ kind: 'tools_list_changed' });
      bus.publish({ kind: 'resources_list_changed' });
    } else bus.publish({ kind: 'resource_updated', uri: topic });
  });
  const unsubscribe = commands.onDevice(({ type, deviceId }) => {
    pace.news(deviceUri(deviceId));
    if (type !== 'state') pace.news(LISTS);
  });
  stopping.addEventListener('abort', () => {
    unsubscribe();
    pace.stop();
  });
  return bus;
}
