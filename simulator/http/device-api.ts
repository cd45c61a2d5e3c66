import { json, type Request, type Response, Router } from 'express';
import type { Clock } from '../core/clock.ts';
import type { Report } from '../core/device-view.ts';
import type { SimulatedHome } from '../core/home.ts';
import { type AnswerWords, answerLater, hangUp } from './wire.ts';

/** The API that the devices that speak HTTP offer on the network: one for all of them, as a vendor's bridge would have it. */
export function deviceApi(home: SimulatedHome, clock: Clock): Router {
  const router = Router();
  const devices = home.devices.filter(({ model }) => model.protocol === 'http');

  router.post('/control/:id', (request, response, next) => {
    // Before the body is read: nothing that is off the network complains about JSON.
    if (home.device(request.params.id, 'http').admit('command')) next();
    else hangUp(response);
  });
  router.post('/control/:id', json(), (request, response) => {
    const device = home.device(request.params.id, 'http');
    answerLater(device, clock, response, device.receive(request.body), ANSWERS);
  });

  router.get('/sensors', (_request: Request, response) => {
    const reached = devices.filter((device) => device.admit('sensors'));
    if (reached.length === 0) {
      hangUp(response);
      return;
    }
    const reports = reached.map((device) => [device.id, device.report()] as const);
    const values = Object.fromEntries(reports.map(([id, report]) => [id, report.values]));
    show(response, { values, garbled: reports.some(([, report]) => report.garbled) });
  });
  router.get('/sensors/:id', (request, response) => {
    const device = home.device(request.params.id, 'http');
    if (device.admit('sensors')) show(response, device.report());
    else hangUp(response);
  });

  return router;
}

const ANSWERS: AnswerWords = {
  received: (response, received) => response.json({ received }),
  error: (response) => response.json({ error: 'the device is busy' }),
  failure: (response) => response.status(500).json({ error: 'internal error' }),
};

function show(response: Response, { values, garbled }: Omit<Report, 'values'> & { readonly values: unknown }): void {
  const text = JSON.stringify(values);
  response.type('json').send(garbled ? text.slice(0, Math.floor(text.length / 2)) : text);
}
