import { randomBytes } from 'node:crypto';
import type { Commands } from '../actuation/commands.ts';
import type { Clock } from '../domain/time.ts';
import { actuationTasks } from './actuation-tasks.ts';
import { ApprovalRounds } from './approval-rounds.ts';
import { homeEvents } from './home-events.ts';
import { homeResources } from './home-resources.ts';
import { homeTools } from './home-tools.ts';
import { honourIdempotencyKeys } from './idempotency-key.ts';
import type { MakeOffer } from './offer.ts';
import { serveResources } from './resources.ts';

/** What the offer of a home is made from. */
export interface HomeOfferOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  /** How long a call waits for its verdict where the client knows no tasks, in ms; 8,000 by default. May change. */
  readonly inlineWaitMs?: number;
  /** Whether a model may answer the question that its own command raised; false by default. May change. */
  readonly modelMayAnswer?: boolean;
  /**
   * 32 secret bytes that sign what clients bring back with an answer. Without it they last as long as this process, and a
   * question from before a restart is answered through another door.
   */
  readonly stateKey?: Uint8Array;
}

const INSTRUCTIONS =
  'Every command ends in a verdict made from what the device itself reported afterwards. Only "verified" means done; ' +
  'tell the user of any other verdict as it stands. While a task is working, ask get_task; never send the command again. ' +
  'The resource readback://verdicts explains the words.';

const INLINE_WAIT_MS = 8_000;

/** What a gateway offers: its devices as tools and as resources, and their commands as tasks. */
export function homeOffer(options: HomeOfferOptions): MakeOffer {
  const { commands, clock } = options;
  const tasks = actuationTasks(commands);
  const rounds = new ApprovalRounds(commands, options.stateKey ?? randomBytes(32));
  return (stopping) => ({
    instructions: INSTRUCTIONS,
    tools: homeTools({
      commands,
      clock,
      tasks,
      rounds,
      stopping,
      get inlineWaitMs() {
        return options.inlineWaitMs ?? INLINE_WAIT_MS;
      },
      get modelMayAnswer() {
        return options.modelMayAnswer ?? false;
      },
    }),
    tasks,
    events: homeEvents(commands, stopping),
    features: [serveResources(homeResources(commands, clock)), honourIdempotencyKeys],
    requestState: rounds.requestState,
  });
}
