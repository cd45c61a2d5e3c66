import { beforeEach, describe, expect, it } from 'vitest';
import { commands, forgetHome, putCommand, receive } from '../../gateway/dashboard/page/state/home.ts';
import type { CommandWire } from '../../gateway/dashboard/wire.ts';
import { command, ended } from '../browser/houses.ts';

const now = '2026-11-30T12:00:00.000Z';
const earlier = '2026-11-30T11:00:00.000Z';
const tell = (word: CommandWire) => receive({ type: 'command', now, command: word });
const known = () => commands.value.get('a');

describe('what the page knows of a command', () => {
  beforeEach(forgetHome);

  it('is what the stream told last, also where the clock of the gateway was set back in between', () => {
    tell(command('a', { phase: 'queued', updated_at: now }));
    tell(command('a', { phase: 'verifying', updated_at: earlier }));
    expect(known()?.phase).toBe('verifying');
    tell({ ...ended('a', 'verified', 9), updated_at: earlier });
    expect(known()?.verdict).toBe('verified');
    tell({ ...ended('a', 'verified', 9), updated_at: earlier, drifts: 1 });
    expect(known()?.drifts).toBe(1);
  });

  it('stays ended, whatever comes late', () => {
    tell(ended('a', 'verified', 9));
    tell(command('a', { updated_at: '2027-01-01T00:00:00.000Z' }));
    putCommand(command('a'));
    expect(known()?.verdict).toBe('verified');
  });

  it('is the answer to a tap where the stream has not told of it, and the outcome in any case', () => {
    putCommand(command('a', { phase: 'queued' }));
    expect(known()?.phase).toBe('queued');
    tell(command('a', { phase: 'verifying' }));
    putCommand(command('a', { phase: 'queued' }));
    expect(known()?.phase).toBe('verifying');
    putCommand(ended('a', 'superseded', 9));
    expect(known()?.verdict).toBe('superseded');
  });
});
