import { soak } from '../soak/soak.ts';
import type { Figure } from './figure.ts';
import type { Effort } from './workspace.ts';

const MINUTES = 10;

/** The same luck every time, so that two runs can be compared. */
const SEED = 21;

/**
 * Ten minutes of a full house with faults: whether anything that was told was untrue, and what it does to the gateway's
 * memory and handles. Nothing in a quick run: `npm run soak` has a short form of its own.
 */
export async function measureSoak(_folder: string, { quick }: Effort): Promise<Figure[]> {
  if (quick) return [];
  const { findings, figures } = await soak({ minutes: MINUTES, seed: SEED, said: () => undefined });
  const untrue = findings.reduce((sum, { violations }) => sum + violations.length, 0);
  const { devices, commands, faults, heap_mb: heap, handles } = figures;
  return [
    {
      id: 'soak_commands',
      title: `commands to ${devices} devices in ${MINUTES} minutes`,
      value: commands,
      unit: 'commands',
    },
    { id: 'soak_faults', title: 'of which a fault befell', value: faults, unit: 'commands' },
    {
      id: 'soak_untrue',
      title: 'that were told otherwise than they were, or anything else that broke a rule',
      value: untrue,
      unit: 'commands',
      target: { at: 'most', value: 0 },
    },
    {
      id: 'soak_heap',
      title: 'memory in use, the last quarter against the second',
      value: heap.to / heap.from,
      unit: 'times',
      target: { at: 'most', value: 1.15 },
    },
    { id: 'soak_handles', title: 'open handles, likewise', value: handles.to / handles.from, unit: 'times' },
  ];
}
