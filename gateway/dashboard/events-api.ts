import { Router } from 'express';
import type { Feed } from './feed.ts';
import { readerOf, requireOneOf } from './reader.ts';
import { refuse } from './serve.ts';

/** `GET /events`: what changes in the home, from the moment of asking, as server-sent events. */
export function eventsApi(feed: Feed, onError: (error: Error) => void): Router {
  const router = Router();
  router.get('/events', async (req, res) => {
    try {
      const reader = readerOf(req);
      requireOneOf(reader, ['read', 'approve']);
      // Express answers HEAD by GET's route: a stream to somebody who takes no body would stand open for nothing.
      if (req.method === 'HEAD') {
        res.type('text/event-stream').end();
        return;
      }
      await feed.serve(reader, res);
    } catch (error) {
      refuse(res, error, onError);
    }
  });
  return router;
}
