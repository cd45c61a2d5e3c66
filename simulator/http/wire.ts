import type { Response } from 'express';
import type { Clock } from '../core/clock.ts';
import type { SimulatedDevice } from '../core/device.ts';
import type { Answer } from '../core/device-view.ts';

/** How a kind of device puts its answers into words; one that is lost needs none. */
export type AnswerWords = Readonly<
  Record<Exclude<Answer['type'], 'none'>, (response: Response, received: Answer['received']) => void>
>;

/** Answers a command when its time has come, if the device can still be reached then and its client still waits. */
export function answerLater(
  device: SimulatedDevice,
  clock: Clock,
  response: Response,
  { type, afterMs, received }: Answer,
  words: AnswerWords,
): void {
  const answer = () => {
    if (type === 'none' || !device.reachable) hangUp(response);
    else words[type](response, received);
  };
  if (afterMs === 0) answer();
  else response.once('close', clock.at(clock.now().mono + afterMs, answer));
}

/** The connection dies as if the other end had lost its power. */
export function hangUp(response: Response): void {
  response.socket?.destroy();
}
