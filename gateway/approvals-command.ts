import * as z from 'zod';
import { StartError } from './domain/errors.ts';

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

/**
 * `readback approvals`: the questions that wait at a running gateway, in words.
 * @param url where the gateway listens, as `http://127.0.0.1:8730`
 * @throws StartError where no gateway answers, or it refuses
 */
export async function listApprovals(url: string): Promise<string> {
  const waiting = await fetchWaiting(url);
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
export async function answerApproval(url: string, id: string, approve: boolean): Promise<string> {
  const matching = (await fetchWaiting(url)).filter((each) => each.id.startsWith(id));
  if (matching.length > 1)
    throw new StartError(`${matching.length} questions have ids that begin with "${id}"; write more of it`);
  // An id that matches nothing is sent as it is: the gateway knows what to say about it.
  const whole = matching[0]?.id ?? id;
  const { message } = answeredSchema.parse(
    await call(url, `/approvals/${encodeURIComponent(whole)}`, { approve, through: 'cli' }),
  );
  return `${approve ? 'Approved' : 'Denied'}. ${message}`;
}

async function fetchWaiting(url: string): Promise<readonly Waiting[]> {
  return waitingSchema.parse(await call(url, '/approvals')).approvals;
}

async function call(url: string, path: string, body?: object): Promise<unknown> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${url.replace(/\/+$/, '')}/api${path}`, init).catch((error: unknown) => {
    throw new StartError(`no gateway answers at ${url}: start one, or name another with --url`, 1, { cause: error });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const { data } = refusalSchema.safeParse(answer);
    throw new StartError(data?.message ?? `${url} answered ${response.status}: is it a gateway?`);
  }
  return answer;
}

const ago = (seconds: number) => (seconds < 2 ? 'just now' : `${span(seconds)} ago`);

function span(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
