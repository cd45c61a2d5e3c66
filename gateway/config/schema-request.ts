import * as z from 'zod';
import { duration, gap, strict, template, text } from './schema-parts.ts';

/** How a device is reached over HTTP. */
export const httpSchema = strict({
  base: z
    .url({ protocol: /^https?$/, hostname: /.+/, error: 'must be an address such as http://192.0.2.40' })
    .superRefine((base, context) => {
      if (!URL.canParse(base)) return;
      const { username, password, search, hash } = new URL(base);
      const refuse = (message: string) => context.addIssue({ code: 'custom', message });
      if (username !== '' || password !== '') {
        refuse('a login does not belong in the address: give the requests headers: { authorization: !secret name }');
      }
      if (search !== '' || hash !== '') refuse('an address ends before ? and #: these belong to a request');
    }),
  timeout: gap.prefault('5s'),
  /** Shortest time between two commands. */
  min_gap: duration.prefault(0),
  /** Requests at a time. More than one by default, so that a command whose answer is slow does not stop the reads. */
  parallel: z.int().min(1).max(16).default(4),
});

/** `timeout` and `min_gap` in ms. */
export type HttpConfig = z.output<typeof httpSchema>;

/** Streams that are made for browsers say something every 10 to 25 s, since proxies cut what is silent. */
const HEARTBEAT_MS = 30_000;

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', events: 'GET' } as const;
const BODIES = ['json', 'form', 'body'] as const;
/** What only a stream of events has, and what it cannot have. */
const OF_EVENTS = ['event', 'match', 'heartbeat'] as const;
const NOT_OF_EVENTS = ['before', 'reject'] as const;

/** One HTTP request that a device understands; every string in it may be a template. */
export const requestSchema = strict({
  get: text.optional(),
  post: text.optional(),
  put: text.optional(),
  /** A stream of server-sent events, which is held open: the device speaks by itself. */
  events: text.optional(),
  query: parameters.optional(),
  json: z.json().optional(),
  form: parameters.optional(),
  body: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** How the answer is read. `kv` is `ret=OK,pow=1`. */
  decode: z.enum(['json', 'kv', 'text', 'xml']).default('json'),
  /** A template on the answer; true: the device refused in spite of its 2xx. */
  reject: template.optional(),
  /** The request that is read first; its decoded answer is `state`. */
  before: text.optional(),
  /** Of a stream: the name of the events that count; all of them where it is left out. */
  event: text.optional(),
  /** Of a stream: a template on an event; what is not true is not about this device. */
  match: template.optional(),
  /** Of a stream: how long it may say nothing, not even a comment, before it counts as broken. By default 30 s. */
  heartbeat: gap.optional(),
}).transform(({ get, post, put, events, ...rest }, context) => {
  const methods = Object.entries({ get, post, put, events }).flatMap(([key, path]) =>
    path === undefined ? [] : [{ method: METHODS[key as keyof typeof METHODS], path, streams: key === 'events' }],
  );
  const [only] = methods;
  const refuse = (message: string) => context.issues.push({ code: 'custom', input: rest, message });
  if (only === undefined || methods.length > 1) {
    refuse('a request needs exactly one of get, post, put and events, with the path: get: /sensors');
    return z.NEVER;
  }
  if (!/^[/{]/.test(only.path)) refuse('the path of a request starts with /: it lies below http.base');
  const bodies = BODIES.filter((key) => rest[key] !== undefined);
  if (bodies.length > 1) refuse(`a request has one body, not ${bodies.join(' and ')}`);
  if (bodies.length > 0 && only.method === 'GET')
    refuse(`a get request has no body: use query instead of ${bodies[0]}`);
  const stray = (only.streams ? NOT_OF_EVENTS : OF_EVENTS).find((key) => rest[key] !== undefined);
  if (stray !== undefined) {
    refuse(only.streams ? `a stream of events takes no ${stray}` : `${stray} belongs to a stream: events: /events`);
  }
  return { ...only, ...rest, heartbeat: rest.heartbeat ?? HEARTBEAT_MS };
});

/** A request with its `method` and its `path` (a template, below `http.base`); `streams` where it is written `events`. */
export type RequestConfig = z.output<typeof requestSchema>;
