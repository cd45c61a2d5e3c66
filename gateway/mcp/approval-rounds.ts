import { createHash, randomUUID } from 'node:crypto';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Commands } from '../actuation/commands.ts';
import type { Actuation } from '../domain/actuation.ts';
import { UserError } from '../domain/errors.ts';
import { APPROVAL_KEY, approvalForm, readApproval } from './approval.ts';
import { type Caller, callerOf } from './caller.ts';

/** What a client carries back with an answer. It is signed, not secret. */
const stateSchema = z.object({
  taskId: z.string(),
  /** Digest of the call that raised the question. */
  call: z.string(),
  /** Which run of the gateway asked, and which of its questions this was. */
  run: z.string(),
  nonce: z.string(),
});
type State = z.output<typeof stateSchema>;

/**
 * The codec's own expiry runs on the wall clock, which on a freshly booted Pi jumps by decades: it is put out of reach.
 * How long an answer counts is the record's to say, on the monotonic clock.
 */
const NEVER_S = 100 * 365 * 86_400;

/** Spent states remembered; behind them the record itself stands, which takes one answer only. */
const MEMORY = 10_000;

/** The call of a tool, by which an answer is held to the question that it was given to. */
export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Questions to the person at a client of 2026-07-28 that knows no tasks: the call is answered with the question, and made
 * again with the answer. The command is on record, waiting, before the question leaves, and the state that the client
 * brings back only names it: a retry that never comes loses nothing, and one that does makes no second record.
 */
export class ApprovalRounds {
  readonly #commands: Commands;
  readonly #codec: RequestStateCodec<State>;
  readonly #run = randomUUID();
  readonly #spent = new Set<string>();

  /** @param key at least 32 secret bytes; with the same key after a restart, an answer to a question from before counts */
  constructor(commands: Commands, key: Uint8Array) {
    this.#commands = commands;
    this.#codec = createRequestStateCodec<State>({
      key,
      ttlSeconds: NEVER_S,
      bind: (ctx) => `${ctx.mcpReq.method}\0${callerOf(ctx).principal}`,
    });
  }

  /** Checks signature and principal of every state that is brought back, before a tool sees it. */
  get requestState(): NonNullable<ServerOptions['requestState']> {
    return { verify: this.#codec.verify };
  }

  /** The question of a waiting command, as the answer to the call that raised it. */
  async ask(actuation: Actuation, call: Call, ctx: ServerContext): Promise<InputRequiredResult> {
    const form = approvalForm(actuation);
    if (!form) throw new Error(`${actuation.taskId} asks nothing`);
    const state = { taskId: actuation.taskId, call: digest(call), run: this.#run, nonce: randomUUID() };
    return inputRequired({
      inputRequests: { [APPROVAL_KEY]: form },
      requestState: await this.#codec.mint(state, ctx),
    });
  }

  /**
   * Takes the answer that a repeated call brings. Where another door was faster, its answer stands.
   * @returns the command as it is now, waiting still if the form was put away; or the question again, where no answer
   *   came with the call
   * @throws ProtocolError -32602 for a state of another call, one whose time is over, and one that was used before
   */
  async take(call: Call, ctx: ServerContext, caller: Caller): Promise<Actuation | InputRequiredResult> {
    const state = stateSchema.parse(ctx.mcpReq.requestState());
    if (state.call !== digest(call)) throw badState('it belongs to a call with other arguments');
    const found = await this.#commands.get(state.taskId, caller.principal);
    if (!found) throw badState('its command is not known (any more)');
    if (this.#isSpent(state, found)) throw badState(`it was used before; get_task tells how ${state.taskId} stands`);
    if (isExpired(found)) throw badState('its time is over, and nothing was sent');
    this.#spend(state);
    if (found.phase !== 'awaiting_approval') return found;
    const answer = readApproval(ctx.mcpReq.inputResponses?.[APPROVAL_KEY], caller);
    if (answer === undefined) return this.ask(found, call, ctx);
    if (answer === 'dismissed') return found;
    try {
      return (await this.#commands.answer(state.taskId, caller.principal, answer)) ?? found;
    } catch (error) {
      if (!(error instanceof UserError && error.code === 'not_waiting')) throw error;
      return (await this.#commands.get(state.taskId, caller.principal)) ?? found;
    }
  }

  /** A run before this one forgot what it had spent, but the record says whether an answer was taken over MCP. */
  #isSpent({ nonce, run }: State, { approval }: Actuation): boolean {
    return this.#spent.has(nonce) || (run !== this.#run && approval?.answer?.through === 'mcp');
  }

  #spend({ nonce }: State): void {
    this.#spent.add(nonce);
    const [oldest] = this.#spent;
    if (this.#spent.size > MEMORY && oldest !== undefined) this.#spent.delete(oldest);
  }
}

function isExpired({ outcome }: Actuation): boolean {
  return outcome?.type === 'verdict' && outcome.reason === 'approval_expired';
}

/** The same for the same arguments in any order. */
function digest({ tool, args }: Call): string {
  const entries = Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([tool, entries]))
    .digest('base64url');
}

function badState(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `This requestState cannot be used: ${why}`, {
    reason: 'invalid_request_state',
  });
}
