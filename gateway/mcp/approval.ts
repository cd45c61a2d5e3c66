import type { InputRequest } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Answer } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import type { Caller } from './caller.ts';

/** The one question that a command can ask; no command asks twice, so the key is never used again. */
export const APPROVAL_KEY = 'approval';

/** What a client sends back for a form: MCP's `ElicitResult`. */
const elicitResult = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({ approve: z.boolean().optional() }).optional(),
});

/** The question of a command that waits for a person, as a form; undefined where it waits for nobody (any more). */
export function approvalForm({ phase, approval }: Actuation): InputRequest | undefined {
  if (phase !== 'awaiting_approval' || !approval) return undefined;
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: approval.question,
      requestedSchema: {
        type: 'object',
        properties: { approve: { type: 'boolean', title: 'Send it?' } },
        required: ['approve'],
      },
    },
  };
}

/** What came back for the form: a person's yes or no, a form that was put away without one, or nothing that is either. */
export function readApproval(response: unknown, caller: Caller): Answer | 'dismissed' | undefined {
  const { data } = elicitResult.safeParse(response);
  if (data?.action === 'cancel') return 'dismissed';
  if (!data) return undefined;
  const approved = data.action === 'accept' && data.content?.approve === true;
  return { approved, by: caller.principal, through: 'mcp' };
}

/** Where a person answers whose client cannot ask them. */
export function whereToAnswer({ taskId }: Actuation): string {
  return `A person answers it with \`readback approve ${taskId}\` (or deny) on the gateway's command line, or on its dashboard`;
}
