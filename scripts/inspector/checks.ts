import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Inspector, Said } from './inspector.ts';

/** Where the gateway is, for each way of reaching it. */
export interface Targets {
  readonly url: string;
  /** The bridge's command. */
  readonly stdio: readonly string[];
  readonly token: string;
}

/** One call, and what is wrong with what came of it; undefined where nothing is. */
interface Check {
  readonly what: string;
  readonly call: (inspector: Inspector, targets: Targets) => Promise<Said>;
  readonly fault: (said: Said) => string | undefined;
}

/** What came of a check. */
export interface Checked {
  readonly what: string;
  readonly fault: string | undefined;
}

const toolList = z.object({ tools: z.array(z.object({ name: z.string() })) });
const verdict = z.object({ structuredContent: z.object({ verdict: z.string(), reason: z.string().nullable() }) });
const device = z.object({ contents: z.tuple([z.object({ text: z.string().includes('"reachable":true') })]) });

const TOOLS = ['get_state', 'set_climate', 'get_task', 'cancel_task'];

function listsTools({ output }: Said): string | undefined {
  const names = toolList.safeParse(output).data?.tools.map(({ name }) => name);
  return isDeepStrictEqual(names, TOOLS) ? undefined : `listed ${names?.join(', ') ?? 'nothing'}`;
}

function ends(code: number, want: { verdict: string; reason: string | null }): Check['fault'] {
  return (said) => {
    const got = verdict.safeParse(said.output).data?.structuredContent;
    const right = said.code === code && got?.verdict === want.verdict && got.reason === want.reason;
    return right ? undefined : `exit code ${said.code}, verdict ${got?.verdict}, reason ${got?.reason}`;
  };
}

const overHttp = ({ url, token }: Targets) => [
  url,
  '--transport',
  'http',
  '--header',
  `Authorization: Bearer ${token}`,
];
const set = (degrees: number) => [
  '--method',
  'tools/call',
  '--tool-name',
  'set_climate',
  '--tool-arg',
  `target_temperature=${degrees}`,
];

const CHECKS: readonly Check[] = [
  {
    what: 'lists the tools over HTTP',
    call: (inspector, targets) => inspector.call(overHttp(targets), '--method', 'tools/list'),
    fault: listsTools,
  },
  {
    what: 'lists the tools over standard input and output',
    call: (inspector, { stdio }) => inspector.call(stdio, '--method', 'tools/list'),
    fault: listsTools,
  },
  {
    what: 'commands a device and gets its verdict',
    call: (inspector, targets) => inspector.call(overHttp(targets), ...set(25)),
    fault: ends(0, { verdict: 'verified', reason: null }),
  },
  {
    what: 'is told what is refused, as an error of the tool',
    call: (inspector, targets) => inspector.call(overHttp(targets), ...set(99)),
    fault: ends(5, { verdict: 'rejected', reason: 'out_of_range' }),
  },
  {
    what: 'reads a device as a resource',
    call: (inspector, targets) =>
      inspector.call(overHttp(targets), '--method', 'resources/read', '--uri', 'device://ac'),
    fault: ({ output }) => (device.safeParse(output).success ? undefined : JSON.stringify(output)),
  },
  {
    what: 'is turned away without a token',
    call: (inspector, { url }) => inspector.call([url, '--transport', 'http'], '--method', 'tools/list'),
    fault: ({ code, output }) => (code !== 0 && output === undefined ? undefined : `exit code ${code}`),
  },
];

/** Runs every check, one after the other. */
export async function runChecks(inspector: Inspector, targets: Targets): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const { what, call, fault } of CHECKS) checked.push({ what, fault: fault(await call(inspector, targets)) });
  return checked;
}
