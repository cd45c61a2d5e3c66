import { Router } from 'express';
import type { Omission } from '../devices/discovery/left-out.ts';
import type { Serve } from './serve.ts';
import type { DiscoveryWire } from './wire.ts';

/** What discovery's part of the API is made from. */
export interface DiscoveryApiOptions {
  readonly leftOut: () => readonly Omission[];
  readonly serve: Serve;
}

/** `GET /discovery`: what announced itself and is not taken in, for the owner who misses a device. */
export function discoveryApi({ leftOut, serve }: DiscoveryApiOptions): Router {
  const router = Router();
  router.get(
    '/discovery',
    serve(['admin'], async () => {
      const discovery: DiscoveryWire = { left_out: leftOut() };
      return discovery;
    }),
  );
  return router;
}
