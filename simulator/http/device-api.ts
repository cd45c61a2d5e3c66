import { json, type Request, type Response, Router } from 'express';
import type { Clock } from '../core/clock.ts';
import type { SimulatedDevice } from '../core/device.ts';
import type { Answer, Report } from '../core/device-view.ts';
import type { SimulatedHome } from '../core/home.ts';

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
    const answer = device.receive(request.body);
    if (answer.afterMs === 0) {
      reply(device, answer, response);
      return;
    }
    const callOff = clock.at(clock.now().mono + answer.afterMs, () => reply(device, answer, response));
    response.once('close', callOff);
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

function reply(device: SimulatedDevice, { type, received }: Answer, response: Response): void {
  if (!device.reachable) {
    hangUp(response);
    return;
  }
  switch (type) {
    case 'received':
      response.json({ received });
      break;
    case 'error':
      response.json({ error: 'the device is busy' });
      break;
    case 'failure':
      response.status(500).json({ error: 'internal error' });
      break;
    case 'none':
      hangUp(response);
      break;
  }
}

function show(response: Response, { values, garbled }: Omit<Report, 'values'> & { readonly values: unknown }): void {
  const text = JSON.stringify(values);
  response.type('json').send(garbled ? text.slice(0, Math.floor(text.length / 2)) : text);
}

/** The connection dies as if the other end had lost its power. */
function hangUp(response: Response): void {
  response.socket?.destroy();
}
