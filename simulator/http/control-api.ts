import { json, Router } from 'express';
import type { SimulatedHome } from '../core/home.ts';

/** The simulator's own API, for people and scripts: timing, state, faults, ground truth. */
export function controlApi(home: SimulatedHome): Router {
  const router = Router();
  router.use(json());

  router.get('/', (_request, response) => {
    response.json(home.view());
  });
  router.get('/truth', (_request, response) => {
    response.json(home.truth());
  });
  router.get('/truth/:id', (request, response) => {
    response.json(home.truth(request.params.id));
  });
  router.post('/reset', (_request, response) => {
    home.reset();
    response.json(home.view());
  });

  router.patch('/devices/:id', (request, response) => {
    const device = home.device(request.params.id);
    device.configure(request.body);
    response.json(device.view());
  });
  router.post('/devices/:id/faults', (request, response) => {
    const device = home.device(request.params.id);
    device.arm(request.body);
    response.status(201).json(device.view());
  });
  router.delete('/devices/:id/faults{/:fault}', (request, response) => {
    const device = home.device(request.params.id);
    device.clear(request.params.fault);
    response.json(device.view());
  });

  return router;
}
