import { Router } from 'express';
import type { Commands } from '../actuation/commands.ts';
import { UserError } from '../domain/errors.ts';
import { type Clock, iso } from '../domain/time.ts';
import { deviceWire } from './device-wire.ts';
import type { Serve } from './serve.ts';
import type { DevicesWire, DeviceWire } from './wire.ts';

/** What the devices' part of the API is made from. */
export interface DevicesApiOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly serve: Serve;
}

/** `GET /devices`: what is known of all of them. `POST /devices/:id/look`: asks one now, and answers what it is then. */
export function devicesApi({ commands, clock, serve }: DevicesApiOptions): Router {
  const router = Router();
  router.get(
    '/devices',
    serve(['read'], async () => {
      const now = clock.now();
      const views = commands.devices().flatMap(({ id }) => commands.view(id) ?? []);
      const devices: DevicesWire = { now: iso(now), devices: views.map((view) => deviceWire(view, now)) };
      return devices;
    }),
  );
  router.post(
    '/devices/:id/look',
    serve(['read'], async (_reader, req): Promise<DeviceWire> => {
      const id = String(req.params['id']);
      const [view] = commands.view(id) ? await commands.look([id], 0) : [];
      if (!view) throw new UserError('unknown_device', `There is no device "${id.slice(0, 64)}" (any more).`);
      return deviceWire(view, clock.now());
    }),
  );
  return router;
}
