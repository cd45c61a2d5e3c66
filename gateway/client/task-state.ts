import * as z from 'zod';

/** A task as this client speaks of it, whichever protocol revision told it. */
export interface TaskState {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** Where it stands, in the server's own words; empty where it said none. */
  readonly message: string;
  /** When the server made it, as ISO 8601; null where it does not say. */
  readonly createdAt: string | null;
  /** How long its server wants to be left alone between two questions, in ms. */
  readonly pollIntervalMs: number;
  /** How long it usually takes, in ms, where the server knows and says so. */
  readonly usualMs: number | null;
  /** Questions to a person that are open now, by key. */
  readonly questions: Readonly<Record<string, Form>>;
  /** What the tool call would have answered; present once the task has completed. */
  readonly result?: unknown;
  /** Why there is no result; present once the task has failed. */
  readonly error?: string;
}

/** A question to a person: its text, and what an answer looks like. */
export interface Form {
  readonly message: string;
  /** JSON Schema of the answer: an object of plain fields; null where no more than a yes is asked for. */
  readonly schema: z.output<typeof formSchema> | null;
}

/** Without another word from the server its tasks are asked for this often, in ms. */
const POLL_MS = 1_000;

/** The name under which this project's gateway says how long a command usually takes, in ms. */
const USUAL = 'readback/usual_ms';

const formSchema = z.looseObject({ properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })) });

const requestSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({ message: z.string(), requestedSchema: formSchema.optional() }),
});

/**
 * The members of a task of 2026-07-28, and those that 2025-11-25 calls otherwise. What is not as it should be counts as
 * not said: only its id and its status cannot be done without.
 */
const wireSchema = z.looseObject({
  taskId: z.string(),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  createdAt: z.string().optional().catch(undefined),
  pollIntervalMs: z.number().positive().optional().catch(undefined),
  pollInterval: z.number().positive().optional().catch(undefined),
  inputRequests: z.record(z.string(), z.unknown()).optional().catch(undefined),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
  _meta: z
    .looseObject({ [USUAL]: z.number().positive().optional() })
    .optional()
    .catch(undefined),
});

/** A task off the wire. @throws ZodError for what is none */
export function taskStateOf(wire: unknown): TaskState {
  const task = wireSchema.parse(wire);
  const { result, error } = task;
  return {
    taskId: task.taskId,
    status: task.status,
    message: task.statusMessage ?? '',
    createdAt: task.createdAt ?? null,
    pollIntervalMs: task.pollIntervalMs ?? task.pollInterval ?? POLL_MS,
    usualMs: task._meta?.[USUAL] ?? null,
    questions: formsOf(task.inputRequests ?? {}),
    ...(result !== undefined && { result }),
    ...(error && { error: error.message }),
  };
}

/** Requests for anything but a form (a model's words, a folder) are none that a person can answer here. */
function formsOf(requests: Readonly<Record<string, unknown>>): Record<string, Form> {
  const forms: Record<string, Form> = {};
  for (const [key, request] of Object.entries(requests)) {
    const { data } = requestSchema.safeParse(request);
    if (data?.method === 'elicitation/create') forms[key] = formOf(data.params);
  }
  return forms;
}

/** The question in the parameters of an `elicitation/create`. */
export function formOf(params: unknown): Form {
  const { message, requestedSchema } = requestSchema.shape.params.parse(params);
  return { message, schema: requestedSchema ?? null };
}

/** Whether a task will never change again. */
export function hasEnded({ status }: Pick<TaskState, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
