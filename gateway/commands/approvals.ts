import * as z from 'zod';
import { StartError } from '../domain/errors.ts';
import { callApi } from './call-api.ts';
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
    await callApi(daemon, {
      method: 'POST',
      path: `/approvals/${encodeURIComponent(whole)}`,
      body: { approve, through: 'cli' },
    }),
  );
  return `${approve ? 'Approved' : 'Denied'}. ${message}`;
}

async function fetchWaiting(daemon: Daemon): Promise<readonly Waiting[]> {
  return waitingSchema.parse(await callApi(daemon, { path: '/approvals' })).approvals;
}

const ago = (seconds: number) => (seconds < 2 ? 'just now' : `${span(seconds)} ago`);

function span(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
