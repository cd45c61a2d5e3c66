import type { Check, Expectation, Seen } from './scenario.ts';

type Values = Readonly<Record<string, string | number>>;

/** Compares two things by what is printed of them. */
export function check(what: string, expected: string, found: string): Check {
  return { what, expected, found, passed: expected === found };
}

/** The task's verdict and reason, and that it is an error to the client exactly where it is not `verified`. */
export function verdict(word: string, reason: string | null = null): Expectation {
  return ({ status, isError, result }) => {
    const told = (verdict: string | null, why: string | null) =>
      why === null ? String(verdict) : `${verdict} (${why})`;
    const found = result ? told(result.verdict, result.reason) : 'none';
    const flag = (error: boolean) => (error ? ', isError' : '');
    return check(
      'verdict',
      `${told(word, reason)}, task completed${flag(word !== 'verified')}`,
      `${found}, task ${status}${flag(isError)}`,
    );
  };
}

/** What the gateway says it sent, field by field, in its own words. */
export function sent(values: Values): Expectation {
  return ({ result }) => check('sent', show(values), show(fieldsOf(result, (field) => field.sent)));
}

/** What the verdict was made from. */
export function observed(values: Values): Expectation {
  return ({ result }) => check('observed', show(values), show(fieldsOf(result, (field) => field.observed)));
}

/** The device said over MQTT that it stood where it was told to, when it did not: while the old reading was true. */
export function echoed(name: string, wanted: string | number): Expectation {
  return ({ heard, truth: { acted } }) => {
    const moved = acted[0]?.epoch_ms ?? Number.POSITIVE_INFINITY;
    const echo = heard.find((each) => each.epoch_ms < moved && wordOf(each.payload, name) === wanted);
    return {
      what: 'device said',
      expected: `${name} ${wanted}, before it had moved`,
      found: echo ? `${name} ${wanted}, before it had moved` : 'no such thing',
      passed: echo !== undefined,
    };
  };
}

function wordOf(payload: unknown, name: string): unknown {
  return typeof payload === 'object' && payload !== null && name in payload
    ? (payload as Record<string, unknown>)[name]
    : undefined;
}

/** The verdict was made from a reading of after the device had really moved: no echo, and no old value. */
export function decidedByTruth(field: string): Expectation {
  return ({ result, truth: { acted } }) => {
    const [first] = acted;
    const at = result?.fields[field]?.observed_at ?? null;
    const afterMs = first && at !== null ? Date.parse(at) - first.epoch_ms : undefined;
    return {
      what: 'decided by',
      expected: 'a reading of after the device had moved',
      found: afterMs === undefined ? 'no reading of a move' : `a reading ${afterMs} ms after the device had moved`,
      passed: afterMs !== undefined && afterMs >= 0,
    };
  };
}

/** The task says when it was made and when it settled. */
export function timestamps(): Expectation {
  return ({ createdAt, settledAt }) => {
    const lastedMs = Date.parse(settledAt) - Date.parse(createdAt);
    return {
      what: 'timestamps',
      expected: 'created before settled',
      found: `created ${createdAt}, settled ${settledAt}: ${(lastedMs / 1_000).toFixed(2)} s`,
      passed: lastedMs > 0,
    };
  };
}

/** Ground truth: the device received these commands and no others, in its own words. */
export function received(...bodies: readonly Values[]): Expectation {
  return ({ truth }) =>
    check('device received', list(bodies.map(show)), list(truth.received.map((entry) => show(entry.body))));
}

/** Ground truth: what the device really did by the time the task had ended. */
export function acted(...changes: readonly Values[]): Expectation {
  return ({ truth }) => check('device did', list(changes.map(show)), list(truth.acted.map((entry) => show(to(entry)))));
}

/** What the sensors say at the end, in the device's words. */
export function sensorsSay(values: Values): Expectation {
  return ({ sensors }) => {
    const found = Object.keys(values).map((name) => [name, sensors?.[name]] as const);
    return check('sensors say', show(values), sensors ? show(Object.fromEntries(found)) : 'no answer');
  };
}

/** The task is cancelled in every row after the cancellation, however long it is watched. */
export function staysCancelled(): Expectation {
  return ({ status, rows }) => {
    const [, ...after] = rows;
    const always = status === 'cancelled' && after.every((row) => row.status === 'cancelled');
    const last = ((rows.at(-1)?.at_ms ?? 0) / 1_000).toFixed(1);
    return { what: 'task', expected: 'cancelled all along', found: `${status} after ${last} s`, passed: always };
  };
}

/** How late the task settled after the device had really moved, in ms; undefined where it did not move. */
export function lateMs({ settledAt, truth }: Seen): number | undefined {
  const [first] = truth.acted;
  return first && Date.parse(settledAt) - first.epoch_ms;
}

/** The verdict came at most this long after the reading had changed. */
export function promptly(limitMs: number): Expectation {
  return (seen) => {
    const late = lateMs(seen);
    return {
      what: 'lateness',
      expected: `at most ${limitMs} ms after the reading changed`,
      found: late === undefined ? 'the reading did not change' : `${late} ms after the reading changed`,
      passed: late !== undefined && late <= limitMs,
    };
  };
}

/** The verdict took at most so many reads. */
export function fewReads(limit: number): Expectation {
  return ({ result }) => ({
    what: 'reads',
    expected: `at most ${limit}`,
    found: String(result?.reads ?? 'none'),
    passed: result !== null && result.reads <= limit,
  });
}

function to(entry: Seen['truth']['acted'][number]): Values {
  return Object.fromEntries(Object.entries(entry.changes).map(([name, change]) => [name, change.to]));
}

type Field = NonNullable<Seen['result']>['fields'][string];

function fieldsOf(result: Seen['result'], pick: (field: Field) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(result?.fields ?? {}).map(([name, field]) => [name, pick(field)]));
}

/** `temperature 26, power ON`: how values are printed everywhere in the replay. */
export function show(values: Readonly<Record<string, unknown>>): string {
  const told = Object.entries(values).map(([name, value]) => `${name} ${value ?? 'unknown'}`);
  return told.length > 0 ? told.join(', ') : 'nothing';
}

function list(items: readonly string[]): string {
  return items.length > 0 ? items.join('; ') : 'nothing';
}
