import { beforeEach, describe, expect, it } from 'vitest';
import { parseDevice } from '../../gateway/config/load.ts';
import { buildDevice } from '../../gateway/devices/build-device.ts';
import { DeviceRegistry } from '../../gateway/devices/registry.ts';
import { FakeLink } from '../support/fake-link.ts';
import { quietLog } from '../support/logs.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let link: FakeLink;
let registry: DeviceRegistry;
let changes: string[];

const device = (id: string, topic: string, name = id) => {
  const fields = { power: { write: { topic: `${topic}/set` }, read: { topic } } };
  return buildDevice(id, parseDevice({ kind: 'switch', name, fields }), { clock, mqtt: link, log: quietLog });
};
const clock = new VirtualClock();

beforeEach(async () => {
  link = new FakeLink(clock);
  registry = new DeviceRegistry(new Map([['own', device('own', 'own')]]));
  await registry.start();
  changes = [];
  registry.subscribe(({ type, device: { spec } }) => changes.push(`${type} ${spec.id} ${spec.name}`));
});

describe('a device of the configuration', () => {
  it('is neither replaced nor removed by what announces itself', async () => {
    const own = registry.get('own');
    expect(await registry.put(device('own', 'evil'))).toBe(false);
    await registry.remove('own');
    expect(registry.get('own')).toBe(own);
    expect(changes).toEqual([]);
    expect(link.filters).toEqual(['own']);
  });

  it('that is described anew takes over what is known, and the old one listens no more', async () => {
    await link.say('own', 'on');
    await registry.replace(device('own', 'other', 'New'));
    expect(registry.get('own')?.state().values).toMatchObject({ power: { value: 'on', live: false } });
    expect(link.filters).toEqual(['other']);
    expect(changes).toEqual(['present own New']);
  });

  it('leaves its id to others once it is dropped', async () => {
    await registry.drop('own');
    expect(link.filters).toEqual([]);
    expect(await registry.put(device('own', 'found'))).toBe(true);
    await registry.drop('own');
    expect(changes).toEqual(['gone own own', 'present own own']);
    await registry.remove('own');
    expect(registry.list()).toEqual([]);
  });

  it('takes its id from one that announced itself, also where both come at once', async () => {
    const announced = registry.put(device('x', 'found', 'Found'));
    const replaced = registry.replace(device('x', 'mine', 'Mine'));
    const again = registry.put(device('x', 'found', 'Found'));
    expect([await announced, await replaced, await again]).toEqual([true, undefined, false]);
    expect(registry.get('x')?.spec.name).toBe('Mine');
    expect(link.filters.sort()).toEqual(['mine', 'own']);
    expect(changes).toEqual(['present x Found', 'present x Mine']);
  });
});
