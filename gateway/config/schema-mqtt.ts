import * as z from 'zod';
import { isLoopback } from '../domain/loopback.ts';
import { discoverySchema } from './schema-discovery.ts';
import { strict, text } from './schema-parts.ts';

const port = z.int().min(1).max(65_535);

const BROKER =
  'must be the name or address of the broker, such as 192.0.2.5 or mqtt://192.0.2.5:1883; mqtts:// for TLS';

const PORTS = { mqtt: 1883, mqtts: 8883 } as const;

/** `192.0.2.5`, `broker.lan:1884` or `mqtt://…`, `mqtts://…`. */
const brokerSchema = text.transform((written, context) => {
  const refuse = (message: string) => {
    context.issues.push({ code: 'custom', input: written, message });
    return z.NEVER;
  };
  const [, scheme = 'mqtt'] = /^(\w+):\/\//.exec(written) ?? [];
  if (scheme !== 'mqtt' && scheme !== 'mqtts') return refuse(BROKER);
  const text = written.includes('://') ? written : `mqtt://${written}`;
  if (!URL.canParse(text)) return refuse(BROKER);
  const url = new URL(text);
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    return refuse(BROKER);
  }
  if (url.username !== '' || url.password !== '') return refuse('write username and password as keys of their own');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, tls: scheme === 'mqtts', ...(url.port === '' ? {} : { port: Number(url.port) }) };
});

/** A topic for a message of the gateway's own. */
const topicSchema = text.regex(/^[^$+#\0][^+#\0]*$/, 'a topic holds no + and no #, and does not begin with $');

/** The broker inside the gateway, which runs where no other is named. */
const embeddedSchema = strict({
  /** `0.0.0.0` serves the whole LAN; then username and password are required. */
  host: text.default('127.0.0.1'),
  /** 0 takes any free one. */
  port: z.int().min(0).max(65_535).default(1883),
  username: text.optional(),
  password: text.optional(),
}).superRefine(({ host, username, password }, context) => {
  const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
  if (username !== undefined && password === undefined) refuse('needs password beside it', 'username');
  if (password !== undefined && username === undefined) refuse('needs username beside it', 'password');
  if (!isLoopback(host) && (username === undefined || password === undefined)) {
    refuse('lets others in from the network: needs username and password beside it', 'host');
  }
});

/** `mqtt:`, the broker and what is done with it. */
export const mqttSchema = strict({
  /** The broker to use. Without it the gateway runs one of its own: see `embedded`. */
  broker: brokerSchema.optional(),
  /** The broker's port, where it is not in `broker`; by default 1883, or 8883 with TLS. */
  port: port.optional(),
  username: text.optional(),
  password: text.optional(),
  /** Unique at the broker. A random one by default. */
  client_id: text.optional(),
  /** File with the certificate of the authority that signed the broker's, for one that is not publicly trusted. */
  ca: text.optional(),
  /** Files with the gateway's own certificate and its key, for brokers that ask for one. */
  cert: text.optional(),
  key: text.optional(),
  /** Whether devices that announce themselves in Home Assistant's way are taken in, and which. */
  discovery: discoverySchema.default(true),
  discovery_prefix: topicSchema.default('homeassistant'),
  /** Where the gateway says `online` or `offline`. */
  status_topic: topicSchema.default('readback/status'),
  embedded: embeddedSchema.optional(),
}).transform((written, context) => {
  const { broker, port: beside, embedded, username, password, client_id, ca, cert, key, ...rest } = written;
  const refuse = (message: string, ...path: string[]) => {
    context.issues.push({ code: 'custom', input: written, message, path });
  };
  if (rest.status_topic.startsWith(`${rest.discovery_prefix}/`)) {
    refuse(`lies under ${rest.discovery_prefix}, which belongs to Home Assistant`, 'status_topic');
  }
  if (broker === undefined) {
    const lone = Object.entries({ port: beside, username, password, client_id, ca, cert, key }).find(
      ([, value]) => value !== undefined,
    );
    if (lone) refuse('needs broker beside it; what concerns the embedded broker belongs under embedded', lone[0]);
    return { ...rest, broker: null, embedded: embedded ?? embeddedSchema.parse({}) };
  }
  if (embedded) refuse('is not needed beside broker: leave out one of the two', 'embedded');
  if (beside !== undefined && broker.port !== undefined) refuse('the port is in broker already', 'port');
  if (password !== undefined && username === undefined) refuse('needs username beside it', 'password');
  if (cert !== undefined && key === undefined) refuse('needs key beside it', 'cert');
  if (key !== undefined && cert === undefined) refuse('needs cert beside it', 'key');
  const tls = broker.tls || ca !== undefined || cert !== undefined;
  const login = { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
  const files = Object.fromEntries(Object.entries({ ca, cert, key }).filter(([, file]) => file !== undefined));
  return {
    ...rest,
    broker: {
      host: broker.host,
      port: broker.port ?? beside ?? (tls ? PORTS.mqtts : PORTS.mqtt),
      tls: tls ? (files as { readonly ca?: string; readonly cert?: string; readonly key?: string }) : null,
      ...login,
      ...(client_id === undefined ? {} : { client_id }),
    },
    embedded: null,
  };
});

/** Either `broker` or `embedded` is set. `tls` names files, and is null without TLS. */
export type MqttConfig = z.output<typeof mqttSchema>;

/** What stands where nothing is written: the embedded broker, on this machine alone. */
export const mqttDefaults = (): MqttConfig => mqttSchema.parse({});
