import { Router } from 'express';
import * as z from 'zod';
import type { Commands } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import { UserError } from '../domain/errors.ts';
import { sentence } from '../domain/sentence.ts';
import type { Clock } from '../domain/time.ts';
import type { Serve } from './serve.ts';

/** What the API of the questions to people is made from. */
export interface ApprovalsApiOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly serve: Serve;
}

/** One question, as people's tools show it. Ages are on the monotonic clock. */
export interface WaitingApproval {
  readonly id: string;
  readonly device: string;
  readonly question: string;
  /** Who gave the command. */
  readonly principal: string;
  readonly asked_s_ago: number;
  /** How long an answer still counts, in seconds. */
  readonly left_s: number;
}

/** An answer. A browser sends JSON to another site's address only after asking it, which is refused: no form can do this. */
const answerSchema = z.strictObject({ approve: z.boolean(), through: z.enum(['cli', 'dashboard']) });

/**
 * `GET /approvals`: the questions that wait, the oldest first. `POST /approvals/:id` with `{approve, through}`: the
 * answer to one; what comes too late changes nothing and is told so.
 */
export function approvalsApi(options: ApprovalsApiOptions): Router {
  const { commands, clock, serve } = options;
  const router = Router();
  router.get(
    '/approvals',
    serve(['approve'], async () => ({
      approvals: (await commands.waiting()).flatMap((each) => waitingApproval(each, clock)),
    })),
  );
  router.post(
    '/approvals/:id',
    serve(['approve'], async ({ name: by }, req) => {
      const { data } = answerSchema.safeParse(req.body);
      if (!data)
        throw new UserError('bad_value', 'Send JSON: {"approve": true or false, "through": "cli" or "dashboard"}');
      const { approve: approved, through } = data;
      const id = String(req.params['id']);
      const found = (await commands.waiting()).find(({ taskId }) => taskId === id);
      const answered = found && (await commands.answer(id, found.principal, { approved, by, through }));
      if (!answered) throw nothingWaits();
      return { id, approved, message: sentence(answered) };
    }),
  );
  return router;
}

function waitingApproval({ taskId, deviceName, principal, approval }: Actuation, clock: Clock): WaitingApproval[] {
  if (!approval) return [];
  const ageMs = clock.now().mono - approval.askedAt.mono;
  return [
    {
      id: taskId,
      device: deviceName,
      question: approval.question,
      principal,
      asked_s_ago: Math.round(ageMs / 1_000),
      left_s: Math.max(0, Math.round((approval.ttlMs - ageMs) / 1_000)),
    },
  ];
}

function nothingWaits(): UserError {
  return new UserError(
    'not_waiting',
    'Nothing waits under this id: it was answered, its time ran out, or it never existed.',
  );
}
