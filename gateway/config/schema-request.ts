import * as z from 'zod';
import { duration, strict, template, text } from './schema-parts.ts';

/** How a device is reached over HTTP. */
export const httpSchema = strict({
  base: z.url({ protocol: /^https?$/, hostname: /.+/, error: 'must be an address such as http://192.0.2.40' }),
  timeout: duration.prefault('5s'),
  /** Shortest time between two commands. */
  min_gap: duration.prefault(0),
  /** Requests at a time. More than one by default, so that a command whose answer is slow does not stop the reads. */
  parallel: z.int().min(1).max(16).default(4),
});

/** `timeout` and `min_gap` in ms. */
export type HttpConfig = z.output<typeof httpSchema>;

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const METHODS = { get: 'GET', post: 'POST', put: 'PUT' } as const;
const BODIES = ['json', 'form', 'body'] as const;

/** One HTTP request that a device understands; every string in it may be a template. */
export const requestSchema = strict({
  get: text.optional(),
  post: text.optional(),
  put: text.optional(),
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
}).transform(({ get, post, put, ...rest }, context) => {
  const methods = Object.entries({ get, post, put }).flatMap(([key, path]) =>
    path === undefined ? [] : [{ method: METHODS[key as keyof typeof METHODS], path }],
  );
  const [only] = methods;
  const refuse = (message: string) => context.issues.push({ code: 'custom', input: rest, message });
  if (only === undefined || methods.length > 1) {
    refuse('a request needs exactly one of get, post and put, with the path: get: /sensors');
    return z.NEVER;
  }
  if (!/^[/{]/.test(only.path)) refuse('the path of a request starts with /: it lies below http.base');
  const bodies = BODIES.filter((key) => rest[key] !== undefined);
  if (bodies.length > 1) refuse(`a request has one body, not ${bodies.join(' and ')}`);
  if (bodies.length > 0 && only.method === 'GET')
    refuse(`a get request has no body: use query instead of ${bodies[0]}`);
  return { ...only, ...rest };
});

/** A request with its `method` and its `path` (a template, below `http.base`). */
export type RequestConfig = z.output<typeof requestSchema>;
