import { Router } from 'express';
import type { Commands } from '../actuation/commands.ts';
import { type Clock, iso } from '../domain/time.ts';
import type { Serve } from './serve.ts';
import type { HomeWire } from './wire.ts';

/** What the home's part of the API is made from. */
export interface HomeApiOptions {
  readonly name: string;
  readonly version: string;
  readonly commands: Commands;
  readonly clock: Clock;
  /** There is a simulator to play with. */
  readonly simulator: boolean;
  readonly serve: Serve;
}

/** `GET /home`: what the page needs before anything else. */
export function homeApi({ name, version, commands, clock, simulator, serve }: HomeApiOptions): Router {
  const router = Router();
  router.get(
    '/home',
    serve(['read', 'approve'], async ({ name: reader, can }) => {
      const home: HomeWire = {
        name,
        version,
        now: iso(clock.now()),
        me: { name: reader, can },
        simulator: simulator && can.includes('admin'),
        days: await commands.historyDays(),
      };
      return home;
    }),
  );
  return router;
}
