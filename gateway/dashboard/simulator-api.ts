import { Router } from 'express';
import * as z from 'zod';
import type { Commands } from '../actuation/commands.ts';
import { type Clock, iso } from '../domain/time.ts';
import { parsed } from './parsed.ts';
import type { Serve } from './serve.ts';
import type { SimulatorPanel } from './simulator-panel.ts';
import type { SimulatorWire } from './wire.ts';

/** What the simulator's part of the API is made from. */
export interface SimulatorApiOptions {
  readonly panel: SimulatorPanel;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly serve: Serve;
}

const changeSchema = z.union(
  [
    z.strictObject({ delay_ms: z.number().int().min(0) }),
    z.strictObject({ arm: z.string(), once: z.boolean() }),
    z.strictObject({ clear: z.literal(true) }),
  ],
  { error: 'send {"delay_ms": 4000}, {"arm": "ignore", "once": true} or {"clear": true}' },
);

/** `GET /simulator`: what the simulated devices really are. `POST /simulator/:id`: changes one, and answers all. */
export function simulatorApi({ panel, commands, clock, serve }: SimulatorApiOptions): Router {
  const shown = (): SimulatorWire => ({
    now: iso(clock.now()),
    faults: panel.faults,
    devices: panel.devices(commands.devices()),
  });
  const router = Router();
  router.get(
    '/simulator',
    serve(['admin'], async () => shown()),
  );
  router.post(
    '/simulator/:id',
    serve(['admin'], async (_reader, req) => {
      panel.change(String(req.params['id']), parsed(changeSchema, req.body));
      return shown();
    }),
  );
  return router;
}
