import type { Flaw } from './flaws.ts';
import { suggest } from './nearest.ts';
import { items, type Plain, plain, texts } from './plain.ts';
import type { Path } from './source-tree.ts';

/**
 * The names in a device that lead nowhere, and what its parts say against each other. It takes the device as it is
 * written, so that these mistakes are found together with those of shape; parts of a wrong shape are passed over.
 * @param path the device's place in the configuration
 */
export function referenceFlaws(written: unknown, path: Path): Flaw[] {
  const device = plain(written);
  const checks = new References(device, path);
  checks.device();
  for (const [name, request] of Object.entries(plain(device['requests']))) checks.request(name, plain(request));
  for (const [name, field] of Object.entries(plain(device['fields']))) checks.field(name, plain(field));
  return checks.flaws;
}

class References {
  readonly flaws: Flaw[] = [];
  readonly #device: Plain;
  readonly #path: Path;
  readonly #fields: Plain;
  /** Requests that are made, and those that are held open. */
  readonly #requests: readonly string[];
  readonly #streams: readonly string[];

  constructor(device: Plain, path: Path) {
    this.#device = device;
    this.#path = path;
    this.#fields = plain(device['fields']);
    const requests = Object.entries(plain(device['requests']));
    const isStream = ([, request]: (typeof requests)[number]) => plain(request)['events'] !== undefined;
    this.#streams = requests.filter(isStream).map(([name]) => name);
    this.#requests = requests.map(([name]) => name).filter((name) => !this.#streams.includes(name));
  }

  device(): void {
    const { order, guard, side_effects, availability, http } = this.#device;
    if (Object.keys(this.#fields).length === 0) {
      this.#fail([], 'needs fields, an mqtt_* key, or a profile: use');
    }
    if (this.#requests.length + this.#streams.length > 0 && http === undefined) {
      this.#fail(['requests'], 'needs http beside it: http: { base: "http://192.0.2.40" }');
    }
    for (const [key, list] of [
      ['order', order],
      ['guard', guard],
    ] as const) {
      for (const [index, name] of items(list)) this.#fieldExists(name, [key, index]);
    }
    for (const [cause, list] of Object.entries(plain(side_effects))) {
      this.#fieldExists(cause, ['side_effects'], cause);
      for (const [index, name] of items(list)) this.#fieldExists(name, ['side_effects', cause, index]);
    }
    this.#requestExists(plain(availability)['request'], ['availability', 'request']);
  }

  request(name: string, request: Plain): void {
    const place = ['requests', name];
    this.#requestExists(request['before'], [...place, 'before']);
    if (request['before'] === name) this.#fail([...place, 'before'], 'a request cannot come before itself');
    for (const [where, text] of texts(request, place)) {
      // A wish that no field has would be left out of every command without a word.
      for (const [, field] of text.matchAll(/\bwant\.(\w+)/g)) this.#fieldExists(field, where);
    }
  }

  field(name: string, field: Plain): void {
    const place = ['fields', name];
    for (const key of ['write', 'read_now']) this.#requestExists(field[key], [...place, key]);
    for (const key of ['read', 'ack']) this.#requestExists(plain(field[key])['request'], [...place, key, 'request']);
    this.#streamExists(plain(field['read'])['events'], [...place, 'read', 'events']);
    if (field['write'] === undefined && field['read'] === undefined) {
      this.#fail(place, 'needs write, read or both');
    }
    if (field['read_only'] === true && field['write'] !== undefined) {
      this.#fail([...place, 'write'], 'a field that is read_only cannot have write');
    }
    const { min, max } = field;
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      this.#fail([...place, 'min'], `${min} is larger than max, ${max}`);
    }
    for (const key of ['min_by', 'max_by', 'applies_when']) {
      for (const [other, words] of Object.entries(plain(field[key]))) {
        this.#fieldExists(other, [...place, key], other);
        const listed = typeof words === 'string' ? [words] : Array.isArray(words) ? words : Object.keys(plain(words));
        for (const word of listed) this.#wordOf(other, word, [...place, key, other]);
      }
    }
    for (const [index, word] of items(plain(field['approval'])['values'])) {
      this.#wordOf(name, word, [...place, 'approval', 'values', index]);
    }
    this.#map(name, field, place);
  }

  #map(name: string, field: Plain, place: Path): void {
    const seen = new Map<unknown, string>();
    for (const [device, ours] of Object.entries(plain(field['map']))) {
      const where = [...place, 'map', device];
      const twin = seen.get(ours);
      if (twin !== undefined && field['write'] !== undefined) {
        const pairs = `map: [["${twin}", ${String(ours)}], ["${device}", ${String(ours)}]]`;
        this.#fail(
          where,
          `"${twin}" means ${String(ours)} too; write a list of pairs, of which the first is sent: ${pairs}`,
        );
      }
      seen.set(ours, device);
      if (Array.isArray(field['options'])) this.#wordOf(name, ours, where);
    }
    for (const [index, pair] of items(field['options'] && field['map'])) {
      if (Array.isArray(pair)) this.#wordOf(name, pair[1], [...place, 'map', index, 1]);
    }
    for (const [from, ours] of Object.entries(plain(field['alias'])))
      this.#wordOf(name, ours, [...place, 'alias', from]);
  }

  /** Checks a word of ours against what a field can be, as far as its options or its map say so. */
  #wordOf(name: string, word: unknown, where: Path): void {
    const field = plain(this.#fields[name]);
    const { options, map } = field;
    const mapped = Array.isArray(map)
      ? map.map((pair) => (Array.isArray(pair) ? pair[1] : pair))
      : Object.values(plain(map));
    const words = (Array.isArray(options) ? options : mapped).map(String);
    const known = words.some((each) => each.toLowerCase() === String(word).toLowerCase());
    if (words.length > 0 && !known) {
      this.#fail(where, `${name} is never "${String(word)}"; ${suggest(String(word), words, 'its words')}`);
    }
  }

  #requestExists(name: unknown, where: Path): void {
    if (typeof name !== 'string' || this.#requests.includes(name)) return;
    if (this.#streams.includes(name)) {
      this.#fail(where, `"${name}" is a stream of events: it belongs under read, as events: ${name}`);
    } else this.#fail(where, `there is no request "${name}"; ${suggest(name, this.#requests, 'requests')}`);
  }

  #streamExists(name: unknown, where: Path): void {
    if (typeof name !== 'string' || this.#streams.includes(name)) return;
    this.#fail(where, `no request "${name}" has events; ${suggest(name, this.#streams, 'streams')}`);
  }

  #fieldExists(name: unknown, where: Path, key?: string): void {
    if (typeof name !== 'string' || Object.hasOwn(this.#fields, name)) return;
    this.#fail(where, `there is no field "${name}"; ${suggest(name, Object.keys(this.#fields), 'fields')}`, key);
  }

  #fail(where: Path, message: string, key?: string): void {
    const path = [...this.#path, ...where];
    this.flaws.push(key === undefined ? { path, message } : { path, key, message });
  }
}
