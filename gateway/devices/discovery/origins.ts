import type { DeviceBody } from '../../config/home-assistant/describe.ts';
import type { WrittenField } from '../../config/home-assistant/entity-parts.ts';
import { type Plain, plain } from '../../config/plain.ts';

/** What the makers of discovery messages are known to do, laid under what the message says. */
export function withOrigin(body: DeviceBody, entity: Plain): DeviceBody & { readonly errors?: unknown } {
  const origin = String(plain(entity['origin'])['name'] ?? '').toLowerCase();
  const maker = String(plain(entity['device'])['manufacturer'] ?? '').toLowerCase();
  if (origin === 'zigbee2mqtt') return zigbee2mqtt(body);
  // A node reports its own state once, as soon as it has changed: taken for an echo, nothing would follow it.
  if (origin === 'esphome' || maker === 'espressif') return verified(body, { echo: '0s', settle: '1s' });
  if (maker === 'shelly') return verified(body, { echo: '0s' });
  return body;
}

function verified(body: DeviceBody, rules: Readonly<Record<string, unknown>>): DeviceBody {
  return { ...body, verify: { ...body.verify, ...rules } };
}

/**
 * Zigbee2MQTT publishes what it was told as soon as the radio has passed it on, and repeats its cache with every report, so
 * that a wanted value proves nothing until the device has been asked, on `<device>/get`. What could not be delivered it
 * says on `bridge/logging`.
 */
function zigbee2mqtt(body: DeviceBody): DeviceBody & { readonly errors?: unknown } {
  const base = Object.values(body.fields)
    .map((field) => stateTopic(field))
    .find((topic) => topic !== undefined);
  if (base === undefined) return body;
  const attributes = new Set<string>();
  const fields = Object.fromEntries(
    Object.entries(body.fields).map(([name, field]) => {
      const attribute = stateTopic(field) === base && isCommandedAt(field, base) ? attributeOf(field) : undefined;
      if (attribute === undefined) return [name, field];
      attributes.add(attribute);
      return [name, { ...field, read_now: { topic: `${base}/get`, payload: { [attribute]: '' } } }];
    }),
  );
  const list = [...attributes].join(', ');
  // Radiator valves sleep, and report a setpoint seconds to minutes after they have taken it.
  const patience = body.kind === 'climate' ? { deadline: '60s' } : {};
  return {
    ...verified({ ...body, fields }, { echo: '1500ms', confirm: true, ...patience }),
    errors: [failureOf(base, body)],
    caveats: [
      ...body.caveats,
      `Zigbee2MQTT reports what it sent before the device has; filtered_optimistic: [${list}] in its settings stops that`,
    ],
  };
}

function stateTopic(field: WrittenField): string | undefined {
  const topic = plain(field['read'])['topic'];
  return typeof topic === 'string' ? topic : undefined;
}

function isCommandedAt(field: WrittenField, base: string): boolean {
  return String(plain(field['write'])['topic']).startsWith(`${base}/set`);
}

/** The attribute that a field is read from: the first one that its path or template names. */
function attributeOf(field: WrittenField): string | undefined {
  const { path, template } = plain(field['read']);
  if (typeof path === 'string') return path.split('.')[0];
  const [, dotted, quoted] = /\bvalue_json(?:\.(\w+)|\[["']([^"'\\]+)["']\])/.exec(String(template)) ?? [];
  return dotted ?? quoted;
}

/** `Publish 'set' 'state' to 'study valve' failed: …` */
function failureOf(base: string, body: DeviceBody): Plain {
  const bridge = bridgePrefix(body) ?? base.split('/')[0] ?? base;
  const name = JSON.stringify(`to '${base.slice(bridge.length + 1)}' failed`);
  return {
    topic: `${bridge}/bridge/logging`,
    match: `{{ value_json.level == 'error' and "Publish 'set'" in value_json.message and ${name} in value_json.message }}`,
  };
}

/** Zigbee2MQTT's base topic may hold slashes; its availability names it. */
function bridgePrefix(body: DeviceBody): string | undefined {
  const availability = plain(body.availability);
  const entries = Array.isArray(availability['list']) ? availability['list'] : [availability];
  for (const entry of entries) {
    const [, prefix] = /^(.+)\/bridge\/state$/.exec(String(plain(entry)['topic'])) ?? [];
    if (prefix !== undefined) return prefix;
  }
  return undefined;
}
