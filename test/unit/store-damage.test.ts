import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../gateway/domain/store.ts';
import type { DocumentStore } from '../../gateway/store/document-store.ts';
import { FIRST, frame } from '../../gateway/store/framed-lines.ts';
import { openDocumentStore } from '../../gateway/store/journaled-documents.ts';
import type { StoreNotice } from '../../gateway/store/store-errors.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { openTasks } from '../support/task-stores.ts';

type FilesOnDisk = Map<string, Buffer>;
type State = Readonly<Record<string, unknown>>;

/** Small, so that every byte of a file can have its turn. */
const noteSchema = z.object({ id: z.string(), n: z.number() });
type Note = z.infer<typeof noteSchema>;

const notesOf = (documents: DocumentStore) => documents.collection<Note>('notes', (value) => noteSchema.parse(value));
const stateOf = (documents: DocumentStore): State =>
  Object.fromEntries(Array.from(notesOf(documents).values(), (note) => [note.id, note.n]));

interface Start {
  readonly state: State;
  readonly notices: readonly StoreNotice[];
}

/** What a start on these files gives: the documents, or the refusal. */
async function start(files: FilesOnDisk): Promise<Start | StoreError> {
  const notices: StoreNotice[] = [];
  try {
    const documents = await openDocumentStore({
      folder: '/data',
      files: MemoryDisk.of(files),
      onNotice: (notice) => notices.push(notice),
    });
    const state = stateOf(documents);
    await documents.close();
    return { state, notices };
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

async function refusalOf(files: FilesOnDisk): Promise<StoreError> {
  const result = await start(files);
  if (!(result instanceof StoreError)) throw new Error('The store was opened.');
  expect(result.kind).toBe('damaged');
  return result;
}

/** Runs a store from these files on, and puts. @returns the files it leaves, and the state after every put */
async function run(
  before: FilesOnDisk,
  puts: readonly Note[],
  compactAboveBytes = 1_000_000,
): Promise<{ files: FilesOnDisk; states: State[] }> {
  const disk = MemoryDisk.of(before);
  const documents = await openDocumentStore({ folder: '/data', files: disk, compactAboveBytes });
  const states = [stateOf(documents)];
  for (const note of puts) {
    await notesOf(documents).put(note.id, note);
    states.push(stateOf(documents));
  }
  await documents.close();
  return { files: new Map(disk.files()), states };
}

/** Journal 1 alone. */
const runShort = () =>
  run(new Map(), [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
    { id: 'a', n: 3 },
  ]);

/** Long enough for a snapshot and its backup. */
const runLong = () =>
  run(
    new Map(),
    Array.from({ length: 20 }, (_, n) => ({ id: `note ${n % 5}`, n })),
    400,
  );

function changed(files: FilesOnDisk, name: string, change: (content: Buffer) => Buffer): FilesOnDisk {
  const content = files.get(name);
  if (!content) throw new Error(`There is no ${name}.`);
  return new Map(files).set(name, change(Buffer.from(content)));
}

function without(files: FilesOnDisk, name: string): FilesOnDisk {
  const rest = new Map(files);
  rest.delete(name);
  return rest;
}

function newest(files: FilesOnDisk, kind: 'snapshot' | 'journal'): string {
  const name = [...files.keys()]
    .filter((each) => each.startsWith(kind))
    .sort()
    .at(-1);
  if (name === undefined) throw new Error(`There is no ${kind}.`);
  return name;
}

const JOURNAL = 'journal-000001.jsonl';

describe('a journal that was cut', () => {
  it('gives what stands before the cut and says what it dropped, or is refused; at every byte', async () => {
    const { files, states } = await runShort();
    const content = files.get(JOURNAL) ?? Buffer.alloc(0);
    const ends = [...content.entries()].filter(([, byte]) => byte === 10).map(([offset]) => offset);
    expect(ends).toHaveLength(4);
    for (let size = 0; size < content.length; size++) {
      const result = await start(changed(files, JOURNAL, (whole) => whole.subarray(0, size)));
      const whole = ends.filter((end) => end <= size).length;
      if (whole === 0) {
        expect(result).toMatchObject({ kind: 'damaged', message: expect.stringContaining(`/data/${JOURNAL}`) });
        continue;
      }
      if (result instanceof StoreError) throw result;
      expect(result.state).toEqual(states[whole - 1]);
      const isTorn = !ends.includes(size) && !ends.includes(size - 1);
      expect(result.notices.map((notice) => notice.type)).toEqual(isTorn ? ['torn_line'] : []);
    }
  });

  it('drops a tail of zeros, which a power cut leaves behind', async () => {
    const { files, states } = await runShort();
    const result = await start(changed(files, JOURNAL, (whole) => Buffer.concat([whole, Buffer.alloc(700)])));
    expect(result).toMatchObject({ state: states.at(-1), notices: [{ type: 'torn_line' }] });
  });

  it('is refused where a later journal shows that something is missing', async () => {
    const { files } = await run((await runShort()).files, [{ id: 'c', n: 4 }]);
    const refusal = await refusalOf(changed(files, JOURNAL, (whole) => whole.subarray(0, -5)));
    expect(refusal.message).toMatch(
      /journal-000001\.jsonl is damaged: line 4, at byte \d+: it is not written to its end/,
    );
  });
});

// 5 and 6 make a zero byte of a space and of an @: zeros at the end are what a power cut leaves.
const BITS = [0, 5, 6];

describe('a changed bit', () => {
  it.each(BITS)('(%i of every byte) is noticed in a journal', async (bit) => {
    const { files, states } = await runShort();
    await changeEach(files, JOURNAL, bit, states.at(-1));
  });

  it.each(BITS)('(%i of every byte) is noticed in a snapshot', async (bit) => {
    const { files, states } = await runLong();
    await changeEach(files, newest(files, 'snapshot'), bit, states.at(-1));
  });

  async function changeEach(files: FilesOnDisk, name: string, bit: number, state: unknown): Promise<void> {
    const size = files.get(name)?.length ?? 0;
    for (let offset = 0; offset < size; offset++) {
      const result = await start(
        changed(files, name, (content) => {
          content.writeUInt8(content.readUInt8(offset) ^ (1 << bit), offset);
          return content;
        }),
      );
      if (result instanceof StoreError) {
        expect(result.kind).toBe('damaged');
        expect(result.message).toContain(`/data/${name} is damaged`);
        expect(result.message).toMatch(/backup/);
      } else {
        expect(result.state).toEqual(state);
      }
    }
  }
});

describe('whatever file of a folder is damaged', () => {
  /** The newest journal and snapshot have every byte's turn above; here it is about the files together. */
  const STRIDE = 3;

  it.each([
    ['cut', (content: Buffer, offset: number) => content.subarray(0, offset)],
    [
      'flipped',
      (content: Buffer, offset: number) => {
        content.writeUInt8(content.readUInt8(offset) ^ 0xff, offset);
        return content;
      },
    ],
  ] as const)(
    '%s at any byte, a start gives the intact state, or names the file, the damage and the backup',
    async (how, damage) => {
      const first = await runLong();
      const { files, states } = await run(first.files, [{ id: 'note 1', n: 77 }]);
      expect([...files.keys()].filter((name) => name.startsWith('journal')).length).toBeGreaterThan(2);
      const lastButOne = first.states.at(-1);
      for (const [name, content] of files) {
        for (let offset = 0; offset < content.length; offset += STRIDE) {
          const result = await start(changed(files, name, (whole) => damage(whole, offset)));
          if (result instanceof StoreError) {
            expect(result.message).toContain(`/data/${name} is damaged: `);
            expect(result.message).toMatch(/backup/);
          } else {
            // The newest journal may lack its last line: nobody can tell a crash from a cut there.
            const isCrash = how === 'cut' && name === newest(files, 'journal');
            expect([states.at(-1), ...(isCrash ? [lastButOne] : [])]).toContainEqual(result.state);
          }
        }
      }
    },
  );
});

describe('a damaged snapshot', () => {
  it('is refused when it is cut, at every byte', async () => {
    const { files } = await runLong();
    const name = newest(files, 'snapshot');
    const size = files.get(name)?.length ?? 0;
    // Without its last line end it is whole.
    for (let cut = 0; cut < size - 1; cut++) {
      const refusal = await refusalOf(changed(files, name, (content) => content.subarray(0, cut)));
      expect(refusal.message).toContain(`/data/${name} is damaged`);
    }
  });

  it('can be moved away, as the refusal says: the backup and the journals hold the same records', async () => {
    const { files, states } = await runLong();
    const name = newest(files, 'snapshot');
    const refusal = await refusalOf(changed(files, name, (content) => content.subarray(0, 100)));
    expect(refusal.message).toMatch(/The backup is snapshot-\d+\.json; .*move the damaged file away and start again/);
    expect(await start(without(files, name))).toMatchObject({ state: states.at(-1) });
  });

  it('is refused by its version before anything else is looked at', async () => {
    const header = { format: 'readback-snapshot', version: 2, generation: 9, seq: 4, documents: 0 };
    const line = frame(JSON.stringify(header).slice(1, -1), FIRST).text;
    const refusal = await refusalOf(new Map([['snapshot-000009.json', Buffer.from(line)]]));
    expect(refusal.message).toMatch(/format 2 of another version/);
    expect(refusal.message).toMatch(/There is no backup/);
  });
});

describe('missing and foreign files', () => {
  it('refuses a folder without one of the journals that follow the snapshot', async () => {
    const { files } = await runLong();
    const name = newest(files, 'journal');
    expect((await refusalOf(without(files, name))).message).toContain(`/data/${name} is damaged: the file is missing`);
  });

  it('refuses journals without the snapshot they follow', async () => {
    const { files } = await runLong();
    for (const name of [...files.keys()].filter((each) => each.startsWith('snapshot'))) files.delete(name);
    expect((await refusalOf(files)).message).toContain('the file is missing');
  });

  it('refuses a journal of another generation under this name', async () => {
    const { files } = await runLong();
    const foreign = (await runShort()).files.get(JOURNAL) ?? Buffer.alloc(0);
    const refusal = await refusalOf(new Map(files).set(newest(files, 'journal'), foreign));
    expect(refusal.message).toMatch(/generation 1 under another name/);
  });

  it('refuses a task that this version does not understand', async () => {
    const header = frame('"format":"readback-journal","version":1,"generation":1,"after":0', FIRST);
    const strange = frame('"seq":1,"collection":"tasks","key":"a","value":{"taskId":"a"}', header.crc);
    const disk = MemoryDisk.of(new Map([[JOURNAL, Buffer.from(header.text + strange.text)]]));
    await expect(openTasks({ folder: '/data', files: disk })).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining('document a of tasks'),
    });
  });
});
