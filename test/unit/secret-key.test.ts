import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHomeStore } from '../../gateway/store/home-store.ts';
import { secretKey } from '../../gateway/store/secret-key.ts';

it('a key is made once, and is the same after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readback-key-'));
  const first = await openHomeStore({ folder });
  const key = await secretKey(first.keys, 'request_state');
  const other = await secretKey(first.keys, 'another');
  await first.tasks.close();
  const second = await openHomeStore({ folder });
  expect(Buffer.from(await secretKey(second.keys, 'request_state'))).toEqual(Buffer.from(key));
  await second.tasks.close();
  rmSync(folder, { recursive: true });
  expect(key).toHaveLength(32);
  expect(Buffer.from(other)).not.toEqual(Buffer.from(key));
});
