import { z } from 'zod';
import { UnknownError } from './errors.ts';
import { defineFault, type Fault, milliseconds } from './fault.ts';
import { clamped, ramped, reverted } from './motion.ts';

const none = z.strictObject({});

/**
 * Every fault, named as it looks on the wire. Where several are armed they apply in this order: it lets a ramp lead to
 * a clamped value, a revert follow a ramp, and an answer that is lost hide the one that would have been given.
 */
export const FAULTS = {
  ignore: defineFault({
    description: 'Accepts the command and never acts.',
    unit: 'command',
    parameters: none,
    reception: (draft) => ({ ...draft, actsAfterMs: [] }),
  }),
  clamp: defineFault({
    description:
      'Acts, but stops strictly between the old number and the wanted one, or at another word; where there is none it stays.',
    unit: 'command',
    parameters: none,
    motion: clamped,
  }),
  ramp: defineFault({
    description: 'Numbers go to the target in steps; the first one comes when the delay is over.',
    unit: 'command',
    parameters: z.strictObject({
      step: z.number().min(0.1).default(1),
      every_ms: milliseconds(1).default(1_000),
    }),
    motion: (steps, scene, { step, every_ms }) => ramped(steps, scene, { step, everyMs: every_ms }),
  }),
  revert: defineFault({
    description: 'Acts, and later goes back to the old values.',
    unit: 'command',
    parameters: z.strictObject({ after_ms: milliseconds(1).default(3_000) }),
    motion: (steps, scene, { after_ms }) => reverted(steps, scene, after_ms),
  }),
  duplicate: defineFault({
    description: 'Executes the command twice.',
    unit: 'command',
    parameters: z.strictObject({ after_ms: milliseconds().default(1_000) }),
    reception: (draft, { after_ms }) => ({
      ...draft,
      actsAfterMs: draft.actsAfterMs.flatMap((ms) => [ms, ms + after_ms]),
    }),
  }),
  stale_read: defineFault({
    description: 'Acts, but its sensors go on showing the old values for a while.',
    unit: 'command',
    parameters: z.strictObject({ for_ms: milliseconds(1).default(2_000) }),
    reception: (draft, { for_ms }) => ({ ...draft, staleMs: for_ms }),
  }),
  echo: defineFault({
    description: 'Its sensors show the commanded values at once, then the old ones again until it really acts.',
    unit: 'command',
    parameters: z.strictObject({ for_ms: milliseconds(1).default(1_500) }),
    reception: (draft, { for_ms }) => ({ ...draft, echoMs: for_ms }),
  }),
  slow: defineFault({
    description: 'Answers the command late, and over MQTT reports it late; it acts when it would have acted.',
    unit: 'command',
    parameters: z.strictObject({ by_ms: milliseconds(1).default(3_000) }),
    reception: (draft, { by_ms }) => ({ ...draft, answerAfterMs: by_ms }),
  }),
  error_in_200: defineFault({
    description:
      "Answers with success and an error inside it, and does not act. Zigbee2MQTT says so in the bridge's log, Tasmota in the result.",
    unit: 'command',
    protocols: ['http', 'zigbee2mqtt', 'tasmota'],
    parameters: none,
    reception: (draft) => ({ ...draft, answer: 'error', actsAfterMs: [] }),
  }),
  http_500: defineFault({
    description: 'Answers with the status 500, and does not act.',
    unit: 'command',
    protocols: ['http', 'web_server'],
    parameters: none,
    reception: (draft) => ({ ...draft, answer: 'failure', actsAfterMs: [] }),
  }),
  lost_answer: defineFault({
    description:
      'Receives the command and acts, but the connection dies without an answer; over MQTT it reports nothing of it.',
    unit: 'command',
    parameters: none,
    reception: (draft) => ({ ...draft, answer: 'none' }),
  }),
  garbled: defineFault({
    description: 'Sensor answers are cut off in the middle; over MQTT the next report is.',
    unit: 'sensor_answer',
    parameters: none,
  }),
  offline: defineFault({
    description:
      'Cannot be reached: every connection that touches it dies, and over MQTT its last will is published. Commands that are lost count.',
    unit: 'command',
    parameters: none,
  }),
  flap: defineFault({
    description: 'Cannot be reached and can be reached, in turn, beginning with an outage.',
    unit: 'outage',
    parameters: z.strictObject({ every_ms: milliseconds(1).default(2_000) }),
  }),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** @throws UnknownError that lists the faults there are */
export function faultName(name: string): FaultName {
  const found = FAULT_NAMES.find((known) => known === name);
  if (!found) throw new UnknownError(`no fault ${JSON.stringify(name)}; there are ${FAULT_NAMES.join(', ')}`);
  return found;
}
