import { describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { REASONS } from '../../gateway/domain/verdict.ts';
import { adviceOn } from '../../gateway/mcp/advice.ts';
import { progressText } from '../../gateway/mcp/progress-text.ts';
import { DEMO_AC } from '../support/demo-devices.ts';
import { FakeCommands } from '../support/fake-commands.ts';

async function sent(): Promise<{ commands: FakeCommands; taskId: string }> {
  const commands = new FakeCommands([DEMO_AC]);
  const wish = { deviceId: DEMO_AC.id, set: { target_temperature: 26 }, principal: 'local' };
  const { taskId } = await commands.submit(wish);
  commands.send(taskId);
  return { commands, taskId };
}

async function record(commands: FakeCommands, taskId: string): Promise<Actuation> {
  const found = await commands.get(taskId, 'local');
  if (!found) throw new Error('it was just made');
  return found;
}

describe('the advice on a verdict', () => {
  const at = { mono: 1, wall: 1 };
  const ended = (reason: (typeof REASONS)[number]) =>
    adviceOn({ outcome: { type: 'verdict', verdict: 'mismatch', reason, at } } as Actuation);

  it.each(REASONS)('on %s is one sentence that tells what to do, and never to do the same once more', (reason) => {
    expect(ended(reason)).toMatch(/^[A-Z][^.]+\.$/);
    expect(ended(reason)).not.toMatch(/\b(again|retry|repeat|resend)/i);
  });

  it('is not given where there is nothing to do', async () => {
    const { commands, taskId } = await sent();
    expect(adviceOn(await record(commands, taskId))).toBeUndefined();
    commands.read(taskId, { target_temperature: 26 });
    expect(adviceOn(await record(commands, taskId))).toBeUndefined();
  });
});

describe('progress', () => {
  it('says what was sent, what is seen, where it is read and how long it usually takes', async () => {
    const { commands, taskId } = await sent();
    commands.read(taskId, { target_temperature: 24 });
    expect(progressText(await record(commands, taskId), 3_960)).toBe(
      'Living-room AC: sent target_temperature 26 °C; read 24 °C; reading back. ' +
        'Reading from the device itself; asked it once so far. It usually takes about 4.0 s.',
    );
  });

  it('claims no habit where none is known', async () => {
    const { commands, taskId } = await sent();
    expect(progressText(await record(commands, taskId), null)).not.toContain('usually');
  });
});
