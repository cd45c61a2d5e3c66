import type { Commands } from '../actuation/commands.ts';
import type { Clock } from '../domain/time.ts';
import { actuationTasks } from './actuation-tasks.ts';
import { homeTools } from './home-tools.ts';
import type { MakeOffer } from './offer.ts';

/** What the offer of a home is made from. */
export interface HomeOfferOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  /** How long a call waits for its verdict where the client knows no tasks, in ms; 8,000 by default. */
  readonly inlineWaitMs?: number;
}

const INSTRUCTIONS =
  'Every command ends in a verdict made from what the device itself reported afterwards. Only "verified" means done; ' +
  'tell the user of any other verdict as it stands. While a task is working, ask get_task; never send the command again.';

const INLINE_WAIT_MS = 8_000;

/** What a gateway offers: its devices as tools, and their commands as tasks. */
export function homeOffer({ commands, clock, inlineWaitMs = INLINE_WAIT_MS }: HomeOfferOptions): MakeOffer {
  return (stopping) => ({
    instructions: INSTRUCTIONS,
    tools: homeTools({ commands, clock, inlineWaitMs, stopping }),
    tasks: actuationTasks(commands),
  });
}
