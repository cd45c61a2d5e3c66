import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventData } from '../../gateway/client/event-data.ts';
import { linesOf, TOO_LONG } from '../../gateway/client/lines.ts';
import { mirroredHeaders, partsOf } from '../../gateway/client/message.ts';

/** A text as a pipe hands it out: in pieces that know nothing of lines or characters. */
function pieces(text: string, size: number): Readable {
  const bytes = Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return Readable.from(parts);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('lines', () => {
  it('come whole however the pipe cuts them', async () => {
    const line = fc.stringMatching(/^[a-zé😀{}":]{1,20}$/u);
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        expect(await all(linesOf(pieces(lines.map((each) => `${each}\r\n`).join(''), size), 1_000))).toEqual(lines);
      }),
    );
  });

  it('that are too long are told and forgotten, and a last one without its end is left out', async () => {
    const text = `one\n${'x'.repeat(50)}\ntwo\n${'y'.repeat(9)}\ncut of`;
    expect(await all(linesOf(pieces(text, 4), 8))).toEqual(['one', TOO_LONG, 'two', TOO_LONG]);
  });

  it('of an event stream give their data', async () => {
    const text = 'event: message\nid: 1\ndata: {"a":1}\n\n: keepalive\n\nretry: 500\ndata:\n\ndata:{"b":2}\n\n';
    expect(await all(eventData(pieces(text, 5)))).toEqual(['{"a":1}', '{"b":2}']);
  });
});

describe('headers that repeat a message', () => {
  const headersOf = (method: string, params: object) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    return mirroredHeaders(partsOf({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }));
  };

  it.each([
    ['tools/call', { name: 'set_fan' }, 'set_fan'],
    ['prompts/get', { name: 'hello' }, 'hello'],
    ['resources/read', { uri: 'device://fan', name: 'x' }, 'device://fan'],
    ['tasks/get', { taskId: 'abc-_', name: 'x' }, 'abc-_'],
    ['tools/call', { name: 'größer' }, '=?base64?Z3LDtsOfZXI=?='],
    ['tools/call', { name: ' padded ' }, '=?base64?IHBhZGRlZCA=?='],
    ['tools/call', { name: '=?base64?x?=' }, '=?base64?PT9iYXNlNjQ/eD89?='],
  ])('%s of %j', (method, params, name) => {
    expect(headersOf(method, params)).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': name,
    });
  });

  it('are not made before 2026-07-28, and of no nonsense', () => {
    expect(mirroredHeaders(partsOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }))).toEqual(
      {},
    );
    expect(mirroredHeaders(partsOf({ method: 7, params: [] }))).toEqual({});
    expect(mirroredHeaders(partsOf([] as never))).toEqual({});
  });
});
