import fc from 'fast-check';
import { rawHeaders, TASK_CLIENT } from './raw-rpc.ts';

/** A request that cannot be served as it is, and what the specifications say it gets. */
export interface BadRequest {
  readonly what: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly status: number;
  /** JSON-RPC's code; absent where the answer is no error. */
  readonly code?: number;
  /** The id that the answer repeats; where it is absent the answer may name none. */
  readonly id?: unknown;
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;
const PARSE_ERROR = -32_700;
const HEADER_MISMATCH = -32_020;

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bad', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': TASK_CLIENT,
};

/** Ids as the protocol has them, up to 10 kB. */
const id = fc.oneof(
  fc.integer(),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 9_000, maxLength: 10_000, size: 'max' }),
);

const anything = fc.jsonValue({ maxDepth: 3 });
const noText = fc.oneof(fc.integer(), fc.boolean(), fc.constant([]), fc.constant({}), fc.constant(null));
const noObject = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.array(fc.integer()));
const word = fc.stringMatching(/^[a-zA-Z_]{1,20}$/);

function message(method: unknown, params: object, over: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: envelope, ...params }, ...over });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const refusal = (what: string, status: number, code: number, rest: Partial<BadRequest>): BadRequest => ({
  what,
  status,
  code,
  headers: JSON_HEADERS,
  ...rest,
});

const someMessage = fc.constantFrom(
  message('tools/call', { name: 'set_fan', arguments: { power: 'on' } }),
  message('tasks/get', { taskId: 'x' }),
  message('initialize', {}),
);

/** Text that is no JSON: cut off, garbled, or bytes that are no text at all. */
const noJson = fc
  .oneof(
    fc.tuple(someMessage, fc.nat()).map(([text, cut]) => text.slice(0, 1 + (cut % (text.length - 1)))),
    fc.tuple(someMessage, fc.nat(), fc.string()).map(([text, at, junk]) => {
      const place = at % text.length;
      return text.slice(0, place) + junk + text.slice(place + 1);
    }),
    fc.string({ unit: 'binary', minLength: 1 }),
  )
  .filter((text) => text.trim() !== '' && !text.startsWith('\ufeff') && !isJson(text))
  .map((body) => refusal('no JSON', 400, PARSE_ERROR, { body }));

const noUtf8 = fc
  .uint8Array({ minLength: 1, maxLength: 60 })
  .filter((bytes) => bytes[0] !== 0xef && !isJson(new TextDecoder().decode(bytes)))
  .map((bytes) => refusal('bytes', 400, PARSE_ERROR, { body: new Uint8Array(bytes) }));

/** JSON that is no message. */
const noMessage = fc
  .oneof(
    anything.filter((value) => typeof value !== 'object' || value === null || !('jsonrpc' in value)),
    anything.filter((value) => value !== '2.0').map((jsonrpc) => ({ jsonrpc, id: 1, method: 'ping' })),
    noText.map((method) => ({ jsonrpc: '2.0', id: 1, method })),
    fc.constantFrom(null, {}, [], true, 1.5, 1e300).map((wrong) => ({ jsonrpc: '2.0', id: wrong, method: 'ping' })),
    noObject.map((params) => ({ jsonrpc: '2.0', id: 1, method: 'ping', params })),
  )
  .map((value) => refusal('no message', 400, INVALID_REQUEST, { body: JSON.stringify(value) }));

const KNOWN = /^(initialize|ping|notifications|tools|tasks|resources|prompts|server|subscriptions|completion|logging)/;

const unknownMethod = fc
  .tuple(
    fc.oneof(word, fc.constantFrom('__proto__', 'constructor', 'toString', 'tools/destroy', 'tasks/')),
    id,
    fc.boolean(),
  )
  .filter(([method]) => !KNOWN.test(method) || method.includes('destroy') || method.endsWith('/'))
  .map(([method, id, modern]) =>
    modern
      ? refusal('unknown method', 404, METHOD_NOT_FOUND, {
          headers: rawHeaders(method),
          body: message(method, {}, { id }),
          id,
        })
      : refusal('unknown method, older', 200, METHOD_NOT_FOUND, {
          body: JSON.stringify({ jsonrpc: '2.0', id, method }),
          id,
        }),
  );

/** Parameters of the wrong type. */
const wrongParams = fc
  .tuple(
    fc.oneof(
      noText.map((name) => ['tools/call', { name }] as const),
      noObject.map((args) => ['tools/call', { name: 'set_fan', arguments: args }] as const),
      noText.map((taskId) => ['tasks/get', { taskId }] as const),
      noText.map((taskId) => ['tasks/update', { taskId, inputResponses: {} }] as const),
      noText.map((taskId) => ['tasks/cancel', { taskId }] as const),
      noText.map((uri) => ['resources/read', { uri }] as const),
      noText.filter((cursor) => cursor !== undefined).map((cursor) => ['tools/list', { cursor }] as const),
      noObject.map((notifications) => ['subscriptions/listen', { notifications }] as const),
      noObject.map((taskIds) => ['subscriptions/listen', { notifications: { taskIds: String(taskIds) } }] as const),
      fc.constant(['subscriptions/listen', {}] as const),
    ),
    id,
  )
  .map(([[method, params], id]) => {
    const { name } = params as { name?: unknown };
    return refusal(`wrong params of ${method}`, 200, INVALID_PARAMS, {
      headers: rawHeaders(method, name),
      body: message(method, params, { id }),
      id,
    });
  });

const wrongParamsOlder = fc
  .tuple(
    fc.oneof(
      noText.map((protocolVersion) => ['initialize', { protocolVersion }] as const),
      noText.map((name) => ['tools/call', { name }] as const),
      noText.map((taskId) => ['tasks/result', { taskId }] as const),
      noText.map((uri) => ['resources/read', { uri }] as const),
    ),
    id,
  )
  .map(([[method, params], id]) =>
    refusal(`wrong params of ${method}, older`, 200, INVALID_PARAMS, {
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      id,
    }),
  );

/** An envelope that lacks what every request must say, or says it wrongly. */
const wrongEnvelope = fc
  .tuple(
    fc.constantFrom('io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'),
    fc.option(fc.integer(), { nil: undefined }),
    id,
  )
  .map(([key, wrong, id]) =>
    refusal(`envelope without ${key}`, 400, INVALID_PARAMS, {
      headers: rawHeaders('tools/list'),
      body: message('tools/list', { _meta: { ...envelope, [key]: wrong } }, { id }),
    }),
  );

const wrongHeaders = fc
  .tuple(fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name'), fc.option(word), id)
  .filter(([, value]) => value !== 'set_fan')
  .map(([header, value, id]) => {
    const { [header]: _, ...others } = rawHeaders('tools/call', 'set_fan');
    return refusal(`header ${header} is ${value === null ? 'missing' : 'another'}`, 400, HEADER_MISMATCH, {
      headers: { ...others, ...(value !== null && { [header]: value }) },
      body: message('tools/call', { name: 'set_fan', arguments: { power: 'on' } }, { id }),
    });
  });

const unknownRevision = fc.tuple(fc.integer({ min: 2030, max: 9999 }), id).map(([year, id]) => {
  const revision = `${year}-01-01`;
  return refusal('unknown revision', 400, -32_022, {
    headers: { ...rawHeaders('tools/list'), 'mcp-protocol-version': revision },
    body: message(
      'tools/list',
      { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': revision } },
      { id },
    ),
    id,
  });
});

const wrongContent = fc.oneof(
  fc
    .constantFrom('text/plain', 'text/html', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense')
    .map((type) => refusal(type, 415, -32_000, { headers: { ...JSON_HEADERS, 'content-type': type }, body: '{}' })),
  fc
    .constantFrom('rot13', 'x')
    .map((coding) =>
      refusal(coding, 415, INVALID_REQUEST, { headers: { ...JSON_HEADERS, 'content-encoding': coding }, body: '{}' }),
    ),
  fc
    .string({ minLength: 1 })
    .map((body) =>
      refusal('no gzip', 400, INVALID_REQUEST, { headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' }, body }),
    ),
);

const tooLarge = fc
  .integer({ min: 1_050_000, max: 1_200_000 })
  .map((size) =>
    refusal('too large', 413, INVALID_REQUEST, { body: message('tools/call', { name: 'x'.repeat(size) }) }),
  );

const tooDeep = fc
  .tuple(fc.integer({ min: 101, max: 100_000 }), fc.boolean(), fc.boolean())
  .map(([depth, objects, inside]) => {
    const deep = objects ? `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` : '['.repeat(depth) + ']'.repeat(depth);
    const params = `{"name":"set_fan","arguments":{"power":${deep}},"_meta":${JSON.stringify(envelope)}}`;
    const body = inside ? `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` : deep;
    return refusal('too deep', 400, INVALID_REQUEST, { headers: rawHeaders('tools/call', 'set_fan'), body });
  });

const strangeSession = fc.stringMatching(/^[\x21-\x7e]{1,40}$/).map((session) =>
  refusal('strange session', 404, -32_001, {
    headers: { ...JSON_HEADERS, 'mcp-session-id': session },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  }),
);

const wrongPlace = fc.oneof(
  fc
    .webPath()
    .filter((path) => !/^\/(mcp|api|healthz)/i.test(path))
    .map((path) => refusal('wrong path', 404, INVALID_REQUEST, { path, method: 'GET' })),
  fc
    .constantFrom('PUT', 'PATCH', 'OPTIONS', 'PROPFIND')
    .map((method) => refusal(method, 405, -32_000, { method, headers: {} })),
);

/** Requests of every kind that must be refused, none of which may move a device. */
export const badRequest: fc.Arbitrary<BadRequest> = fc.oneof(
  { weight: 20, arbitrary: noJson },
  { weight: 8, arbitrary: noUtf8 },
  { weight: 20, arbitrary: noMessage },
  { weight: 12, arbitrary: unknownMethod },
  { weight: 24, arbitrary: wrongParams },
  { weight: 8, arbitrary: wrongParamsOlder },
  { weight: 8, arbitrary: wrongEnvelope },
  { weight: 12, arbitrary: wrongHeaders },
  { weight: 4, arbitrary: unknownRevision },
  { weight: 6, arbitrary: wrongContent },
  { weight: 1, arbitrary: tooLarge },
  { weight: 6, arbitrary: tooDeep },
  { weight: 4, arbitrary: strangeSession },
  { weight: 8, arbitrary: wrongPlace },
);
