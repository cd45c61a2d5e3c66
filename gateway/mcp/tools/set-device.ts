import { type CallToolResult, isInputRequiredResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Commands } from '../../actuation/commands.ts';
import { keyedTaskId } from '../../actuation/wish-key.ts';
import { type Actuation, isSettled } from '../../domain/actuation.ts';
import type { DeviceKind, DeviceSpec } from '../../domain/device.ts';
import { UserError } from '../../domain/errors.ts';
import { VERDICTS } from '../../domain/verdict.ts';
import type { ApprovalRounds } from '../approval-rounds.ts';
import { writableFields } from '../field-schema.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { waitInline } from '../inline-wait.ts';
import { putQuestions } from '../older-questions.ts';
import { seedOf, type TaskSource } from '../task.ts';
import { callResult, handleTask, taskOf } from '../task-view.ts';
import { defineTool, type Tool } from '../tool.ts';

/** What the control tools need. */
export interface SetToolOptions {
  readonly commands: Commands;
  /** The same commands as tasks. */
  readonly tasks: TaskSource;
  readonly rounds: ApprovalRounds;
  /** How long a call waits for its verdict where the client knows no tasks, in ms. */
  readonly inlineWaitMs: number;
  readonly stopping: AbortSignal;
}

/**
 * `set_climate`, `set_fan` …: commands one device of a kind. A client that declares the Tasks extension gets a task at
 * once; another gets the verdict if it comes within the inline wait, and the handle if it does not. A wish that the plan
 * refuses is answered with its verdict in any case: nothing was sent, so there is nothing to follow. A question to a
 * person is put in whatever way the client has for it.
 */
export function setTool(kind: DeviceKind, specs: readonly DeviceSpec[], options: SetToolOptions): Tool {
  const { commands, rounds } = options;
  const tool = `set_${kind}`;
  const ids = specs.map((spec) => spec.id);
  const only = ids.length === 1 ? ids[0] : undefined;
  return defineTool({
    name: tool,
    makesTasks: true,
    description: `Set one or more fields of a ${kind} device. Answers with a verdict read back from the device, or with a task to follow.`,
    scope: 'control',
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    // The values are the plan's to judge: it knows the device, its mode and the words it takes.
    input: z.looseObject({ device: z.string().optional() }),
    inputSchema: {
      type: 'object',
      properties: { device: { type: 'string', enum: ids, description: named(specs) }, ...writableFields(specs) },
      ...(only === undefined && { required: ['device'] }),
    },
    outputSchema: OUTPUT,
    async run({ device = only, ...set }, ctx, caller) {
      const key = idempotencyKeyOf(ctx);
      // Before the device: a repeated call has its task also where the device is not known (yet), as after a restart.
      const known = key !== undefined && (await commands.get(keyedTaskId(caller.principal, key), caller.principal));
      if (device === undefined || !(known || ids.includes(device))) {
        const wrong = device === undefined ? 'Name a device' : `There is no ${kind} device "${device}"`;
        throw new UserError('unknown_device', `${wrong}; there are: ${ids.join(', ')}`);
      }
      const call = { tool, args: { device, ...set } };
      const answered = ctx.mcpReq.requestState() === undefined ? undefined : await rounds.take(call, ctx, caller);
      if (isInputRequiredResult(answered)) return answered;
      const wish = { deviceId: device, set, principal: caller.principal, ...(key !== undefined && { key }) };
      const actuation = answered ?? (await commands.submit(wish));
      if (caller.older?.wantsTask) return seedOf(taskOf(actuation, caller));
      if (caller.declaresTasks && !actuation.refusal) return seedOf(taskOf(actuation, caller));
      if (isSettled(actuation)) return callResult(actuation);
      const asks = actuation.phase === 'awaiting_approval' && caller.elicits && !answered;
      if (asks && !caller.older) return rounds.ask(actuation, call, ctx);
      const question = asks ? putQuestions(options.tasks, actuation.taskId, caller, ctx) : undefined;
      const last = await waitInline({ ...options, actuation, forMs: options.inlineWaitMs, ctx, question });
      return isSettled(last) ? callResult(last) : handleResult(last);
    },
  });
}

/**
 * What the control tools answer: the verdict, or the handle of a command that is still under way. It says what a program
 * can rely on and no more, because a model may have to read it on every turn.
 */
const OUTPUT = {
  type: 'object' as const,
  properties: {
    verdict: { enum: [...VERDICTS, null] },
    // Not a list of types: clients that know only one type at a time would leave the tool out.
    reason: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    fields: { type: 'object' },
    task_id: { type: 'string' },
    status: { type: 'string' },
  },
};

/** What people call these devices, which need not resemble their ids or be in the same language. */
function named(specs: readonly DeviceSpec[]): string {
  return specs.map(({ id, name, area }) => `${id}: ${name}${area === undefined ? '' : `, ${area}`}`).join('; ');
}

/** The answer of a call whose command is still under way: how it stands, and how to go on. */
function handleResult(actuation: Actuation): CallToolResult {
  const task = handleTask(actuation);
  const follow = `get_task with task_id "${task.task_id}" and wait_s 30`;
  const next =
    actuation.phase === 'awaiting_approval'
      ? `Tell the user; once it is answered, ${follow} gives the verdict. Do not repeat the command.`
      : `Not settled yet. Call ${follow} for the verdict; do not repeat the command.`;
  return {
    content: [{ type: 'text', text: `${task.status_message} ${next}` }],
    structuredContent: { ok: true, ...task },
  };
}
