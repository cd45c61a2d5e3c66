import * as z from 'zod';
import { template } from '../schema-parts.ts';
import { commonShape, FieldList, number, payload, topic } from './entity-parts.ts';
import type { Description } from './kinds.ts';

/** Blinds count their turns: two per cent beside the wish is where a good one stops. */
const TOLERANCE = 2;

const schema = z.object({
  ...commonShape,
  command_topic: topic.optional(),
  payload_close: payload.nullable().default('CLOSE'),
  payload_open: payload.nullable().default('OPEN'),
  payload_stop: payload.nullable().default('STOP'),
  position_closed: number.default(0),
  position_open: number.default(100),
  position_template: template.optional(),
  position_topic: topic.optional(),
  set_position_template: template.optional(),
  set_position_topic: topic.optional(),
  state_closed: payload.default('closed'),
  state_closing: payload.default('closing'),
  state_open: payload.default('open'),
  state_opening: payload.default('opening'),
  state_stopped: payload.default('stopped'),
  state_topic: topic.optional(),
  payload_stop_tilt: payload.nullable().optional(),
  tilt_closed_value: z.unknown().optional(),
  tilt_command_template: template.optional(),
  tilt_command_topic: topic.optional(),
  tilt_max: z.unknown().optional(),
  tilt_min: z.unknown().optional(),
  tilt_opened_value: z.unknown().optional(),
  tilt_optimistic: z.unknown().optional(),
  tilt_status_template: template.optional(),
  tilt_status_topic: topic.optional(),
});

type Cover = z.output<typeof schema>;

/**
 * A blind, curtain or garage door: `position` in per cent (100 is open, whichever way the device counts), and `state` as
 * `open`, `closed` or, between the two and at rest, `stopped`.
 */
export const cover: Description<typeof schema> = {
  schema,
  fields(entity) {
    const list = new FieldList(entity);
    addState(list, entity);
    addPosition(list, entity);
    const tilts = entity.tilt_command_topic !== undefined || entity.tilt_status_topic !== undefined;
    return { fields: list.fields, caveats: tilts ? ['the tilt of the slats is not taken over'] : [] };
  },
};

function addState(list: FieldList, entity: Cover): void {
  const { payload_open, payload_close, payload_stop, position_topic: placed } = entity;
  const commands = entity.command_topic === undefined ? [] : pairs([payload_open, payload_close, payload_stop]);
  const states = pairs([entity.state_open, entity.state_closed, entity.state_stopped]);
  const options = [...new Set((commands.length > 0 ? commands : states).map(([, ours]) => ours))];
  list.add(
    'state',
    {
      command: commands.length > 0 ? entity.command_topic : undefined,
      state: placed ?? entity.state_topic,
      stateTemplate: placed === undefined ? entity.value_template : stateByPlace(entity),
    },
    {
      map: distinct([...commands, ...states, ...pairs(STATES)]).filter(([, ours]) => options.includes(ours)),
      options,
      ...movingWhen(entity),
    },
  );
}

function addPosition(list: FieldList, entity: Cover): void {
  const { position_open: open, position_closed: closed } = entity;
  const straight = open === 100 && closed === 0;
  const place = straight ? 'value' : `(${closed} + value * ${open - closed} / 100) | round | int`;
  list.add(
    'position',
    {
      command: entity.set_position_topic,
      commandTemplate: `{% set position = ${place} %}${entity.set_position_template ?? '{{ position }}'}`,
      state: entity.position_topic,
      stateTemplate: straight ? entity.position_template : `${setPlace(entity)}{{ place | round | int }}`,
    },
    { min: 0, max: 100, step: 1, tolerance: TOLERANCE, unit: '%', ...movingWhen(entity) },
  );
}

const STATES = ['open', 'closed', 'stopped'] as const;

/** Words of the device for our states; one that is null is not offered. */
function pairs(words: readonly (string | null)[]): [string, string][] {
  return STATES.flatMap((ours, index): [string, string][] => {
    const word = words[index];
    return word === null || word === undefined ? [] : [[word, ours]];
  });
}

function distinct(all: readonly [string, string][]): [string, string][] {
  return all.filter(([word], index) => all.findIndex(([earlier]) => earlier === word) === index);
}

/** Sets `place` in per cent; what is no number fails, and says nothing then. */
function setPlace({ position_template, position_open: open, position_closed: closed }: Cover): string {
  const told = `{% set told %}${position_template ?? '{{ value }}'}{% endset %}`;
  return `${told}{% set place = (told | float - ${closed}) * 100 / ${open - closed} %}`;
}

/** The position says more than the state does: `stopped` may be fully open, and `open` may be half closed. */
function stateByPlace(entity: Cover): string {
  const [open, closed] = [100 - TOLERANCE, TOLERANCE];
  const word = `'open' if place >= ${open} else 'closed' if place <= ${closed} else 'stopped'`;
  return `${setPlace(entity)}{{ ${word} }}`;
}

/** In motion by the state, where it comes with the message that is read. */
function movingWhen(entity: Cover): { moving_when?: string } {
  const { state_topic: state, position_topic: position } = entity;
  if (state === undefined || (position !== undefined && position !== state)) return {};
  const told = `{% set told %}${entity.value_template ?? '{{ value }}'}{% endset %}`;
  return { moving_when: `${told}{{ told | trim in ${JSON.stringify([entity.state_opening, entity.state_closing])} }}` };
}
