import { Router } from 'express';
import * as z from 'zod';
import type { Commands } from '../actuation/commands.ts';
import { UserError } from '../domain/errors.ts';
import { type Clock, iso } from '../domain/time.ts';
import { CommandList, querySchema } from './command-list.ts';
import { CommandView } from './command-view.ts';
import { parsed } from './parsed.ts';
import { whose } from './reader.ts';
import type { Serve } from './serve.ts';
import { story } from './story.ts';
import type { CommandStoryWire, CommandsWire } from './wire.ts';

/** What the commands' part of the API is made from. */
export interface CommandsApiOptions {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly serve: Serve;
}

const wishSchema = z.strictObject({
  device: z.string(),
  set: z.record(z.string(), z.union([z.string(), z.number()])),
});

const storyQuerySchema = z.strictObject({ day: querySchema.shape.day });

/**
 * `GET /commands`: those that the reader may be told of. `GET /commands/:id`: the story of one. `POST /commands`: a new one.
 * `POST /commands/:id/cancel`: no longer to be tracked.
 */
export function commandsApi({ commands, clock, serve }: CommandsApiOptions): Router {
  const view = new CommandView(commands, clock);
  const list = new CommandList(commands, view);
  const router = Router();
  router.get(
    '/commands',
    serve(['read', 'approve'], async (reader, req): Promise<CommandsWire> => {
      const page = await list.page(reader, parsed(querySchema, req.query));
      return { now: iso(clock.now()), ...page };
    }),
  );
  router.get(
    '/commands/:id',
    serve(['read', 'approve'], async (reader, req): Promise<CommandStoryWire> => {
      const { day } = parsed(storyQuerySchema, req.query);
      const told = await list.find(reader, String(req.params['id']), day);
      if (!told) throw unknownCommand();
      const { actuation, aftermath } = told;
      return { now: iso(clock.now()), command: view.past(told, reader), moments: story(actuation, aftermath) };
    }),
  );
  router.post(
    '/commands',
    serve(
      ['control'],
      async (reader, req) => {
        const { device: deviceId, set } = parsed(wishSchema, req.body);
        return view.now(await commands.submit({ deviceId, set, principal: reader.name }), reader);
      },
      202,
    ),
  );
  router.post(
    '/commands/:id/cancel',
    serve(['control'], async (reader, req) => {
      const cancelled = await commands.cancel(String(req.params['id']), whose(reader));
      if (!cancelled) throw unknownCommand();
      return view.now(cancelled, reader);
    }),
  );
  return router;
}

function unknownCommand(): UserError {
  return new UserError('unknown_task', 'There is no command with this id, or it is not yours to see.');
}
