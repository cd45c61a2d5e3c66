/**
 * Filters that Home Assistant's templates use and minijinja lacks or prints differently.
 *
 * An exception that leaves a JavaScript filter corrupts the WebAssembly runtime, so none may throw: what would be an
 * error in Jinja is reported through `fail`, and the rendering is thrown away afterwards.
 */
export type Fail = (detail: string) => undefined;

/** A filter or function as minijinja calls it: positional arguments, named ones as a `Map` at the end. */
export type TemplateFunction = (...args: unknown[]) => unknown;

/** minijinja's maps and big integers as plain JSON values; undefined inside of them was Jinja's `none`. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), toPlain(each) ?? null]));
  }
  if (Array.isArray(value)) return value.map((each) => toPlain(each) ?? null);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return value;
}

/** Positional and named arguments behind the filtered value. */
function split(rest: readonly unknown[]): { args: readonly unknown[]; named: ReadonlyMap<unknown, unknown> } {
  const last = rest.at(-1);
  return last instanceof Map ? { args: rest.slice(0, -1), named: last } : { args: rest, named: new Map() };
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value.trim().replace(/(?<=\d)_(?=\d)/g, ''));
  return Number.isFinite(number) && !/^[+-]?0[xob]/i.test(value.trim()) ? number : undefined;
}

function isNumber(value: unknown): boolean {
  return typeof value !== 'boolean' && Number.isFinite(toNumber(value));
}

function integer(value: unknown, base: number): number | undefined {
  if (typeof value !== 'string' || base === 10) {
    const number = toNumber(value);
    return number === undefined || !Number.isFinite(number) ? undefined : Math.trunc(number);
  }
  const digits = value.trim().replace(base === 16 ? /^0x/i : /^$/, '');
  const number = Number.parseInt(digits, base);
  // parseInt stops at the first character that it cannot read; only a whole word is a number.
  const whole = digits.toLowerCase().replace(/^\+?0*(?=.)/, '') === number.toString(base);
  return whole ? number : undefined;
}

/** Half to even, as Python rounds. */
function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  const scaled = value * factor;
  const floor = Math.floor(scaled);
  const tie = Math.abs(scaled - floor - 0.5) < 1e-9;
  return (tie ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(scaled)) / factor;
}

const ROUNDINGS = { ceil: Math.ceil, floor: Math.floor } as const;

function roundBy(value: number, digits: number, method: unknown): number {
  if (method !== 'ceil' && method !== 'floor') return round(value, digits);
  const factor = 10 ** digits;
  return ROUNDINGS[method](value * factor) / factor;
}

/** C's printf, as far as payloads need it: `%0.1f`, `%03d`, `%s`, `%x`, `%%`. Undefined where it does not fit. */
function printf(pattern: string, args: readonly unknown[]): string | undefined {
  let used = 0;
  let fits = true;
  const text = pattern.replace(
    /%([-+0 ]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g,
    (_all, flags: string, width: string, digits: string | undefined, kind: string) => {
      if (kind === '%') return '%';
      const printed = used < args.length ? printOne(kind, args[used++], digits) : undefined;
      if (printed === undefined || Number(width) > 100 || Number(digits ?? 0) > 20) {
        fits = false;
        return '';
      }
      const signed = flags.includes('+') && kind !== 's' && !printed.startsWith('-') ? `+${printed}` : printed;
      return pad(signed, flags, Number(width), kind);
    },
  );
  return fits && used === args.length ? text : undefined;
}

function printOne(kind: string, value: unknown, digits: string | undefined): string | undefined {
  if (kind === 's') return String(value);
  const number = toNumber(value);
  if (number === undefined || !Number.isFinite(number) || Number(digits ?? 0) > 20) return undefined;
  switch (kind) {
    case 'd':
    case 'i':
      return String(Math.trunc(number));
    case 'f':
    case 'F':
      return number.toFixed(Number(digits ?? 6));
    case 'g':
      return String(Number(number.toPrecision(Math.max(1, Number(digits ?? 6)))));
    case 'x':
      return Math.trunc(number).toString(16);
    case 'X':
      return Math.trunc(number).toString(16).toUpperCase();
    default:
      return undefined;
  }
}

function pad(text: string, flags: string, width: number, kind: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || kind === 's') return text.padStart(width);
  const sign = /^[+-]/.test(text) ? text.slice(0, 1) : '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function iif(value: unknown, yes: unknown = true, no: unknown = false, none: unknown = no): unknown {
  if (value === undefined || value === null) return none;
  const empty = Array.isArray(value) ? value.length === 0 : value instanceof Map ? value.size === 0 : !value;
  return empty ? no : yes;
}

function safely(name: string, run: TemplateFunction, fail: Fail): TemplateFunction {
  return (...args) => {
    try {
      return run(...args);
    } catch {
      return fail(`${name} cannot be applied here`);
    }
  };
}

/** The added filters. @param fail is told what cannot be done */
export function templateFilters(fail: Fail): Readonly<Record<string, TemplateFunction>> {
  const filters: Record<string, TemplateFunction> = {
    int(value, ...rest) {
      const { args, named } = split(rest);
      const fallback = args[0] ?? named.get('default');
      const number = integer(value, Number(args[1] ?? named.get('base') ?? 10));
      return number ?? fallback ?? fail('int got something that is no number, and no default');
    },
    float(value, ...rest) {
      const { args, named } = split(rest);
      const fallback = args[0] ?? named.get('default');
      return toNumber(value) ?? fallback ?? fail('float got something that is no number, and no default');
    },
    round(value, ...rest) {
      const { args, named } = split(rest);
      const number = toNumber(value);
      const digits = Number(args[0] ?? named.get('precision') ?? 0);
      if (number === undefined || !(Math.abs(digits) <= 20)) return fail('round got something that is no number');
      return roundBy(number, digits, args[1] ?? named.get('method'));
    },
    format: (pattern, ...args) =>
      printf(String(pattern), args) ?? fail(`format '${String(pattern).slice(0, 40)}' does not fit its arguments`),
    to_json: (value) => JSON.stringify(toPlain(value) ?? null),
    from_json(value, ...rest) {
      const { args, named } = split(rest);
      try {
        return JSON.parse(String(value));
      } catch {
        return args[0] ?? named.get('default') ?? fail('from_json got text that is no JSON');
      }
    },
    iif,
    is_defined: (value) => value ?? fail('a value is not defined'),
    is_number: isNumber,
    readback_get(map, key, fallback) {
      if (!(map instanceof Map)) return fail('get is called on something that is no mapping');
      return map.has(key) ? map.get(key) : fallback;
    },
    readback_index(list, item) {
      const index = Array.isArray(list) ? list.indexOf(item) : String(list).indexOf(String(item));
      return index < 0 ? fail(`${String(item).slice(0, 40)} is not in the list`) : index;
    },
  };
  return Object.fromEntries(Object.entries(filters).map(([name, run]) => [name, safely(name, run, fail)]));
}

/** Functions that are called by name, `iif(a, b, c)`. */
export const TEMPLATE_FUNCTIONS = { iif, is_number: isNumber } as const satisfies Record<string, TemplateFunction>;

/** Tests behind `is`. */
export const TEMPLATE_TESTS = { is_number: isNumber } as const satisfies Record<string, TemplateFunction>;
