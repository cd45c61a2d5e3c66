import { createServer, type Server } from 'node:http';
import express, { type ErrorRequestHandler, type Express } from 'express';
import type { Clock } from '../core/clock.ts';
import { InputError, messageOf, StartError, UnknownError } from '../core/errors.ts';
import type { SimulatedHome } from '../core/home.ts';
import { controlApi } from './control-api.ts';
import { deviceApi } from './device-api.ts';
import { webServerApi } from './web-server-api.ts';

/** The whole HTTP face of a simulated home; every mistake is answered with `{error}`. */
export function simulatorApp(home: SimulatedHome, clock: Clock): Express {
  const app = express();
  app.disable('x-powered-by');
  // Reads must show what is there: a 304 would say "as before" without saying what.
  app.disable('etag');
  app.use('/sim', controlApi(home));
  app.use(deviceApi(home, clock));
  app.use(webServerApi(home, clock));
  app.use((request) => {
    throw new UnknownError(
      `nothing at ${request.method} ${request.path}; there are /sensors, /control/:id, /esp_fan and /sim`,
    );
  });
  app.use(answerError);
  return app;
}

const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error);
    return;
  }
  const status = statusOf(error);
  if (status >= 500) console.error(error);
  response.status(status).json({ error: messageOf(error) });
};

function statusOf(error: unknown): number {
  if (error instanceof InputError) return 400;
  if (error instanceof UnknownError) return 404;
  // Express's own errors (a body that is no JSON, or too large) carry their status.
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : 500;
}

/**
 * Opens the port; 0 takes any free one.
 * @throws StartError where the address cannot be had
 */
export async function listen(app: Express, host: string, port: number): Promise<Server> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(startError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

function startError(error: NodeJS.ErrnoException, host: string, port: number): StartError {
  if (error.code === 'EADDRINUSE') {
    return new StartError(`Port ${port} on ${host} is taken: stop what runs there, or choose another with --port.`);
  }
  return new StartError(`Cannot listen on ${host}:${port}: ${error.message}`, { cause: error });
}
