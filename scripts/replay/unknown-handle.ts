import { JsonRpcResponseError } from '@modelcontextprotocol/ext-tasks/client';
import { taskId } from '@modelcontextprotocol/ext-tasks/core';
import * as z from 'zod';
import { check } from './expectations.ts';
import type { Check } from './scenario.ts';
import type { Stage } from './stage.ts';

const HANDLE = 'a-handle-that-nobody-minted';

const refusal = z.object({
  isError: z.literal(true),
  content: z.array(z.object({ text: z.string() })).length(1),
  structuredContent: z.looseObject({ ok: z.boolean() }),
});

/** Asks for a handle that was never given out, through both doors. */
export async function askUnknownHandle({ client: { client, session } }: Stage): Promise<readonly Check[]> {
  const answer = refusal.safeParse(await client.callTool({ name: 'get_task', arguments: { task_id: HANDLE } }));
  const [said] = answer.data?.content ?? [];
  const lines = said?.text.split('\n').length ?? 0;
  const code = await session
    .task(taskId(HANDLE))
    .snapshot()
    .then(
      () => 'a task',
      (error: unknown) => (error instanceof JsonRpcResponseError ? String(error.code) : String(error)),
    );
  return [
    check(
      'get_task',
      'isError, ok: false, 1 line',
      answer.success ? `isError, ok: ${answer.data.structuredContent.ok}, ${lines} line` : 'another answer',
    ),
    check('tasks/get', '-32602', code),
  ];
}
