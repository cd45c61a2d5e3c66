import * as z from 'zod';
import { template } from '../schema-parts.ts';
import { commonShape, FieldList, onOff, payload, topic } from './entity-parts.ts';
import type { Description } from './kinds.ts';

const schema = z.object({
  ...commonShape,
  command_topic: topic,
  command_template: template.optional(),
  payload_on: payload.default('ON'),
  payload_off: payload.default('OFF'),
  state_on: payload.optional(),
  state_off: payload.optional(),
  state_topic: topic.optional(),
});

/** A switch, plug or relay. */
export const switchKind: Description<typeof schema> = {
  schema,
  fields(entity) {
    const list = new FieldList(entity);
    list.add(
      'power',
      {
        command: entity.command_topic,
        commandTemplate: entity.command_template,
        state: entity.state_topic,
        stateTemplate: entity.value_template,
      },
      { map: onOff(entity) },
    );
    return { fields: list.fields };
  },
};
