import { type Request, type Response, Router } from 'express';
import { Agenda } from '../core/agenda.ts';
import type { Clock } from '../core/clock.ts';
import type { SimulatedDevice } from '../core/device.ts';
import type { Answer } from '../core/device-view.ts';
import { InputError } from '../core/errors.ts';
import type { SimulatedHome } from '../core/home.ts';
import type { State } from '../core/model.ts';
import { type AnswerWords, answerLater, hangUp } from './wire.ts';

/** How often a stream of events says that it lives. */
const PING_MS = 10_000;

/**
 * Fans on ESPHome nodes as the component `web_server` shows them, each node under its device's id: an entity that is
 * asked and commanded by its name, and `/events`, which tells how it stands at once and whenever that changes. A command
 * is answered when it is queued; what the fan cannot do is dropped without a word.
 */
export function webServerApi(home: SimulatedHome, clock: Clock): Router {
  const router = Router();
  for (const device of home.devices.filter(({ model }) => model.protocol === 'web_server')) {
    const path = `/${device.id}/fan/${encodeURIComponent(device.model.name)}`;
    router.get(`/${device.id}/events`, (_request, response) => {
      if (device.admit('sensors')) tellOf(device, clock, response);
      else hangUp(response);
    });
    router.get(path, (_request, response) => {
      if (!device.admit('sensors')) {
        hangUp(response);
        return;
      }
      const { values, garbled } = device.report();
      response.type('json').send(cut(entityOf(device, values), garbled));
    });
    router.post(`${path}/:action`, (request, response) => {
      if (device.admit('command')) answerLater(device, clock, response, receive(device, request), ANSWERS);
      else hangUp(response);
    });
  }
  return router;
}

const ANSWERS: AnswerWords = {
  received: (response) => response.end(),
  error: (response) => response.end(),
  failure: (response) => response.status(500).end(),
};

function receive(device: SimulatedDevice, request: Request<{ action: string }>): Answer {
  const { action } = request.params;
  const level = Number(request.query['speed_level']);
  const wanted = action === 'turn_off' ? { state: 'OFF' } : { state: 'ON', ...(level > 0 && { speed_level: level }) };
  try {
    return device.receive(wanted);
  } catch (error) {
    if (error instanceof InputError) return { type: 'received', afterMs: 0, received: {} };
    throw error;
  }
}

/** The same for those who ask and those who listen. */
function entityOf({ model: { name } }: SimulatedDevice, shown: State): string {
  const id = `fan-${name.toLowerCase().replaceAll(' ', '_')}`;
  return JSON.stringify({ id, name_id: `fan/${name}`, ...shown, value: shown['state'] === 'ON', speed_count: 4 });
}

function cut(text: string, garbled: boolean): string {
  return garbled ? text.slice(0, Math.floor(text.length / 2)) : text;
}

/** Tells one listener how the device stands, now and whenever that changes. The stream dies with its node. */
function tellOf(device: SimulatedDevice, clock: Clock, response: Response): void {
  const tell = (event: string, data: string) => {
    response.write(`id: ${Math.round(clock.now().mono)}\nevent: ${event}\ndata: ${data}\n\n`);
  };
  const tellState = (garbled = false) => tell('state', cut(entityOf(device, device.shown), garbled));
  const agenda = new Agenda(clock);
  const ping = () => {
    tell('ping', JSON.stringify({ title: device.model.name }));
    agenda.add(clock.now().mono + PING_MS, ping);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  ping();
  tellState();
  const unsubscribe = device.subscribe((event) => {
    if (!device.reachable) hangUp(response);
    else if (event.type !== 'reachable') tellState(event.type === 'shown' && event.garbled);
  });
  response.on('close', () => {
    agenda.clear();
    unsubscribe();
  });
}
