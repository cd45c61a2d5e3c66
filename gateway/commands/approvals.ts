import * as z from 'zod';
import { StartError } from '../domain/errors.ts';
import type { Daemon } from './find-daemon.ts';

const waitingSchema = z.object({
  approvals: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      principal: z.string(),
      asked_s_ago: z.number(),
      left_s: z.number(),
    }),
  ),
});
type Waiting = z.output<typeof waitingSchema>['approvals'][number];

const answeredSchema = z.object({ message: z.string() });
const refusalSchema = z.object({ message: z.string() });

/** What is said of a token that will not do. */
const TOKEN_REFUSALS: Readonly<Record<string, string>> = {
  invalid_token: 'it asks for a token that it knows: give one with --token or READBACK_TOKEN',
  insufficient_scope: 'this token may not answer questions: it needs the scope approve',
};
const tokenRefusalSchema = z.object({ error: z.string().transform((code) => TOKEN_REFUSALS[code]) });

/**
 * `readback approvals`: the questions that wait at a running gateway, in words.
 * @throws StartError where no gateway answers, or it refuses
 */
export async function listApprovals(daemon: Daemon): Promise<string> {
  const waiting = await fetchWaiting(daemon);
  if (waiting.length === 0) return 'Nothing waits for an answer.';
  const lines = waiting.map(
    (each) =>
      `  ${each.id}  ${each.question}  (for ${each.principal}, asked ${ago(each.asked_s_ago)}, ${span(each.left_s)} left)`,
  );
  return [...lines, '', 'Answer with `readback approve ID` or `readback deny ID`.'].join('\n');
}

/**
 * `readback approve` and `readback deny`: answers one question.
 * @param id the whole id, or as much of its beginning as only one question has
 * @returns what became of the command
 * @throws StartError where no gateway answers, nothing waits under the id, or several do
 */
export async function answerApproval(daemon: Daemon, id: string, approve: boolean): Promise<string> {
  const matching = (await fetchWaiting(daemon)).filter((each) => each.id.startsWith(id));
  if (matching.length > 1)
    throw new StartError(`${matching.length} questions have ids that begin with "${id}"; write more of it`);
  // An id that matches nothing is sent as it is: the gateway knows what to say about it.
  const whole = matching[0]?.id ?? id;
  const { message } = answeredSchema.parse(
    await call(daemon, `/approvals/${encodeURIComponent(whole)}`, { approve, through: 'cli' }),
  );
  return `${approve ? 'Approved' : 'Denied'}. ${message}`;
}

async function fetchWaiting(daemon: Daemon): Promise<readonly Waiting[]> {
  return waitingSchema.parse(await call(daemon, '/approvals')).approvals;
}

async function call({ url, token }: Daemon, path: string, body?: object): Promise<unknown> {
  const init = {
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  };
  const response = await fetch(`${url}/api${path}`, init).catch((error: unknown) => {
    throw new StartError(`no gateway answers at ${url}: start one, or name another with --url`, 1, { cause: error });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const why = tokenRefusalSchema.safeParse(answer).data?.error ?? refusalSchema.safeParse(answer).data?.message;
    throw new StartError(why ?? `${url} answered ${response.status}: is it a gateway?`);
  }
  return answer;
}

const ago = (seconds: number) => (seconds < 2 ? 'just now' : `${span(seconds)} ago`);

function span(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
