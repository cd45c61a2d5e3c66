import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actuation } from '../../gateway/domain/actuation.ts';
import { sentence } from '../../gateway/domain/sentence.ts';
import { backUp } from '../../gateway/store/backup.ts';
import { type HomeStore, openHomeStore } from '../../gateway/store/home-store.ts';
import { restore } from '../../gateway/store/restore.ts';
import { secretKey } from '../../gateway/store/secret-key.ts';
import { actuation, settledAt } from '../support/actuations.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const MADE = new Date(NOON).toISOString();
const silent = () => {};
const clock = new VirtualClock('boot-2');

let place: string;
let folder: string;
let file: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'readback-backup-'));
  folder = join(place, 'data');
  file = join(place, 'backup');
});

afterEach(() => rm(place, { recursive: true }));

/** A command that has settled. */
function done(taskId: string): Actuation {
  return settledAt(actuation({ taskId, createdWall: NOON }), NOON);
}

/** Everything that a gateway keeps, on compactions all the time. */
async function fill(kept: HomeStore): Promise<void> {
  for (let count = 0; count < 20; count++) await kept.tasks.put(done(`t${count}`));
  await kept.tasks.put(settledAt(actuation({ taskId: 't3', createdWall: NOON }), NOON));
  await kept.tasks.remove(['t5']);
  await kept.habits.put('ac power', { fromMs: 1, shiftMs: 2, spanMs: 3, seenMs: [4] });
  await kept.aftermaths.put('t3', { taskId: 't3', events: [] });
  await secretKey(kept.keys, 'request_state');
  const past = ['p0', 'p1'].map(done);
  await kept.history.append(past.map((each) => ({ actuation: each, aftermath: [] })));
  await writeFile(join(folder, 'tokens.json'), '{"tokens":[]}', { mode: 0o600 });
}

async function stateIn(at: string): Promise<unknown> {
  const kept = await openHomeStore({ folder: at });
  const state = {
    tasks: await kept.tasks.list({ limit: 1_000 }),
    habits: [...kept.habits.values()],
    aftermaths: [...kept.aftermaths.values()],
    key: await secretKey(kept.keys, 'request_state'),
    history: await kept.history.read('2026-11-30'),
    tokens: await readFile(join(at, 'tokens.json'), 'utf8').catch(() => null),
  };
  await kept.tasks.close();
  return state;
}

describe('a backup', () => {
  it('holds what a gateway keeps, taken while it runs or not, and only its owner may read it', async () => {
    const kept = await openHomeStore({ folder, compactAboveBytes: 4_000 });
    await fill(kept);
    const content = await backUp(folder, file, MADE, silent);
    await kept.tasks.close();
    const stopped = await backUp(folder, `${file}.2`, MADE, silent);
    expect(content).toEqual({ documents: 22, past: 2 });
    expect(stopped).toEqual(content);
    expect(gunzipSync(await readFile(file)).equals(gunzipSync(await readFile(`${file}.2`)))).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const elsewhere = join(place, 'elsewhere');
    expect(await restore(file, elsewhere, clock, silent)).toEqual({ ...content, ended: 0, replaced: null });
    expect(await stateIn(elsewhere)).toEqual(await stateIn(folder));
    expect((await stat(join(elsewhere, 'tokens.json'))).mode & 0o777).toBe(0o600);
  });

  it('is whole while the gateway stores and compacts beside it', async () => {
    const kept = await openHomeStore({ folder, compactAboveBytes: 1 });
    await kept.tasks.put(done('before'));
    let going = true;
    const storing = (async () => {
      for (let count = 0; going; count++) await kept.tasks.put(done(`t${count % 9}`));
    })();
    for (let round = 0; round < 4; round++) {
      await backUp(folder, file, MADE, silent);
      const elsewhere = join(place, `elsewhere ${round}`);
      await restore(file, elsewhere, clock, silent);
      expect(await stateIn(elsewhere)).toMatchObject({
        tasks: expect.arrayContaining([done('before')]),
      });
    }
    going = false;
    await storing;
    await kept.tasks.close();
  });

  it('is not made of nothing, nor of what no gateway would start on', async () => {
    await expect(backUp(folder, file, MADE, silent)).rejects.toThrow(/^There is nothing in .* to back up/);
    const kept = await openHomeStore({ folder });
    await fill(kept);
    await kept.tasks.close();
    await truncate(join(folder, 'journal-000001.jsonl'), 5);
    await expect(backUp(folder, file, MADE, silent)).rejects.toMatchObject({ kind: 'damaged' });
    expect(await readdir(place)).toEqual(['data']);
  });

  it('leaves the one before in place when it cannot be written', async () => {
    const kept = await openHomeStore({ folder });
    await fill(kept);
    await kept.tasks.close();
    const nowhere = join(place, 'missing', 'backup');
    await expect(backUp(folder, nowhere, MADE, silent)).rejects.toMatchObject({ kind: 'unwritable' });
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    const kept = await openHomeStore({ folder });
    await fill(kept);
    await kept.tasks.close();
    await backUp(folder, file, MADE, silent);
  });

  it('replaces what is there, keeps it beside, and can be done again and again', async () => {
    const backedUp = await stateIn(folder);
    const kept = await openHomeStore({ folder, compactAboveBytes: 1 });
    for (let count = 0; count < 9; count++) await kept.tasks.put(done(`later ${count}`));
    await kept.history.append([{ actuation: done('p9'), aftermath: [] }]);
    await kept.tasks.close();
    const later = await stateIn(folder);
    const { replaced } = await restore(file, folder, clock, silent);
    expect(await stateIn(folder)).toEqual(backedUp);
    expect(replaced).toMatch(/data\/replaced-\d{6}$/);
    expect(await stateIn(String(replaced))).toEqual(later);
    expect((await restore(file, folder, clock, silent)).replaced).not.toBe(replaced);
    expect(await stateIn(folder)).toEqual(backedUp);
  });

  it('ends what was open in the backup, and says of each what became of it', async () => {
    const kept = await openHomeStore({ folder });
    const at = { mono: 2_000, wall: NOON };
    const [queued, held, sent, asked] = ['queued', 'held', 'sent', 'asked'].map((taskId) => actuation({ taskId }));
    if (!queued || !held || !sent || !asked) throw new Error('there are four');
    const approval = { question: 'May it?', askedAt: at, ttlMs: 1_000, answer: null };
    await kept.tasks.put(queued);
    await kept.tasks.put({ ...held, phase: 'sending', sends: 1 });
    await kept.tasks.put({ ...sent, phase: 'verifying', sends: 1, sentAt: at, deadline: 22_000 });
    await kept.tasks.put({ ...asked, phase: 'awaiting_approval', approval });
    await kept.tasks.close();
    await backUp(folder, file, MADE, silent);
    expect(await restore(file, folder, clock, silent)).toMatchObject({ ended: 4 });
    const again = await openHomeStore({ folder });
    expect(await again.tasks.list({ open: true, limit: 9 })).toEqual([]);
    const told = async ({ taskId }: Actuation) => {
      const found = await again.tasks.get(taskId);
      expect(found).toMatchObject({ phase: 'settled', boot: clock.boot, outcome: { at: clock.now() } });
      return found && sentence(found);
    };
    for (const each of [queued, asked]) {
      expect(await told(each)).toMatch(/cancelled before it was sent, because a backup was restored/);
    }
    for (const each of [held, sent]) {
      expect(await told(each)).toMatch(/unconfirmed \(outcome_unknown\): sent .* a backup was restored/);
    }
    await again.tasks.close();
  });

  it('leaves the folder its tokens until those of the backup are whole', async () => {
    const tokens = join(folder, 'tokens.json');
    await writeFile(tokens, '{"tokens":["old"]}');
    await mkdir(`${tokens}.new`);
    await expect(restore(file, folder, clock, silent)).rejects.toMatchObject({ kind: 'unwritable' });
    expect(await readFile(tokens, 'utf8')).toBe('{"tokens":["old"]}');
    await rmdir(`${tokens}.new`);
    const { replaced } = await restore(file, folder, clock, silent);
    expect(await readFile(tokens, 'utf8')).toBe('{"tokens":[]}');
    expect(await readFile(join(String(replaced), 'tokens.json'), 'utf8')).toBe('{"tokens":["old"]}');
  });

  it('takes away tokens that the backup does not hold', async () => {
    const tokens = join(folder, 'tokens.json');
    await rm(tokens);
    await backUp(folder, file, MADE, silent);
    await writeFile(tokens, '{"tokens":["later"]}');
    const { replaced } = await restore(file, folder, clock, silent);
    expect(await readdir(folder)).not.toContain('tokens.json');
    expect(await readdir(String(replaced))).toContain('tokens.json');
  });

  it('is refused while a gateway runs there', async () => {
    const kept = await openHomeStore({ folder });
    const before = await readdir(folder);
    await expect(restore(file, folder, clock, silent)).rejects.toMatchObject({ kind: 'locked' });
    expect(await readdir(folder)).toEqual(before);
    await kept.tasks.close();
  });

  it('is refused for a file that is damaged anywhere, before anything is touched', async () => {
    const before = await readdir(folder);
    const whole = await readFile(file);
    const broken = join(place, 'broken');
    const refused = async (content: Buffer) => {
      await writeFile(broken, content);
      await expect(restore(broken, folder, clock, silent)).rejects.toMatchObject({
        kind: 'damaged',
        message: expect.stringContaining(`${broken} is damaged`),
      });
    };
    for (let cut = 0; cut < whole.length; cut += 41) await refused(whole.subarray(0, cut));
    const plain = gunzipSync(whole);
    for (let offset = 0; offset < plain.length; offset += Math.ceil(plain.length / 60)) {
      const changed = Buffer.from(plain);
      changed.writeUInt8(changed.readUInt8(offset) ^ 1, offset);
      await refused(gzipSync(changed));
    }
    const lines = plain.toString().split('\n');
    await refused(gzipSync(lines.slice(0, -2).join('\n')));
    await refused(gzipSync([...lines.slice(0, 3), ...lines.slice(4)].join('\n')));
    await refused(gzipSync('{"hello":"world"}\n'));
    expect(await readdir(folder)).toEqual(before);
  });

  it('says that there is no such file', async () => {
    await expect(restore(join(place, 'nothing'), folder, clock, silent)).rejects.toThrow(
      `There is no backup ${place}/nothing.`,
    );
  });

  it('is refused at the start where it was cut short before its state was whole, and can be repeated', async () => {
    const backedUp = await stateIn(folder);
    // All that a restore has done before its snapshot has its name.
    await restore(file, join(place, 'other'), clock, silent);
    await copyFile(join(place, 'other', 'journal-000001.jsonl'), join(folder, 'journal-000002.jsonl'));
    await expect(openHomeStore({ folder })).rejects.toMatchObject({ kind: 'damaged' });
    await restore(file, folder, clock, silent);
    expect(await stateIn(folder)).toEqual(backedUp);
  });
});
