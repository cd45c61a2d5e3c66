/** A level of a topic filter: `+`, `#` or a word. */
const levels = (text: string) => text.split('/');

const MAX_BYTES = 65_535;

/**
 * What is wrong with a topic filter, or undefined. `$SYS` and its kind tell about the broker, and `$share` would let
 * another client hear in our place.
 */
export function filterFlaw(filter: string): string | undefined {
  if (filter === '') return 'it is empty';
  if (filter.startsWith('$')) return "topics that begin with $ are the broker's own";
  if (filter.includes('\0') || Buffer.byteLength(filter) > MAX_BYTES) return 'it is no topic';
  const parts = levels(filter);
  if (parts.some((part) => part.length > 1 && /[+#]/.test(part))) return '+ and # must stand alone between slashes';
  if (parts.slice(0, -1).includes('#')) return '# must come last';
  return undefined;
}

/** What is wrong with a topic that a message is to be published under, or undefined. */
export function topicFlaw(topic: string): string | undefined {
  return /[+#]/.test(topic) ? '+ and # have no place in the topic of a message' : filterFlaw(topic);
}

/** Whether a filter takes more than the one topic of its own name. */
export function hasWildcard(filter: string): boolean {
  return /[+#]/.test(filter);
}

/** Whether a filter takes a topic. As MQTT has it, `a/#` takes `a` too. */
export function matches(filter: string, topic: string): boolean {
  return covers(filter, topic);
}

/** Whether every topic that `inner` takes is also taken by `outer`. */
export function covers(outer: string, inner: string): boolean {
  const a = levels(outer);
  const b = levels(inner);
  for (const [index, level] of a.entries()) {
    if (level === '#') return true;
    const other = b[index];
    if (other === undefined || other === '#') return false;
    if (level !== '+' && level !== other) return false;
  }
  return a.length === b.length;
}

/** Whether some topic is taken by both filters. */
export function overlap(one: string, two: string): boolean {
  const a = levels(one);
  const b = levels(two);
  for (let index = 0; ; index += 1) {
    const [x, y] = [a[index], b[index]];
    if (x === '#' || y === '#') return true;
    if (x === undefined || y === undefined) return x === y;
    if (x !== '+' && y !== '+' && x !== y) return false;
  }
}

/** A filter that covers both of two that overlap. */
function join(one: string, two: string): string {
  const a = levels(one);
  const b = levels(two);
  const joined: string[] = [];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [x, y] = [a[index], b[index]];
    // `a` and `a/#` overlap in `a`, and `a/#` covers both.
    if (x === undefined || y === undefined || x === '#' || y === '#') return [...joined, '#'].join('/');
    joined.push(x === y ? x : '+');
  }
  return joined.join('/');
}

/**
 * Filters that together take every topic of the given ones, no topic twice. Where filters overlap, some brokers send a
 * message once and some send it for each filter, and the copies cannot be told from new messages; so no two of ours do.
 */
export function disjoint(filters: Iterable<string>): string[] {
  const all = [...new Set(filters)];
  const wide: string[] = [];
  for (const filter of all.filter(hasWildcard)) {
    let merged = filter;
    for (let index = 0; index < wide.length; ) {
      const other = wide[index];
      if (other === undefined || !overlap(merged, other)) {
        index += 1;
        continue;
      }
      merged = join(merged, other);
      wide.splice(index, 1);
      // What was passed over before may overlap with the wider one.
      index = 0;
    }
    wide.push(merged);
  }
  return [...wide, ...all.filter((filter) => !hasWildcard(filter) && !wide.some((other) => covers(other, filter)))];
}
