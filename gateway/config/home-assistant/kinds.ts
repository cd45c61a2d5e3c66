import type * as z from 'zod';
import type { DeviceKind } from '../../domain/device.ts';
import { climate } from './climate.ts';
import { cover } from './cover.ts';
import type { CommonEntity, WrittenField } from './entity-parts.ts';
import { fan } from './fan.ts';
import { humidifier } from './humidifier.ts';
import { light } from './light.ts';
import { switchKind } from './switch.ts';

/** What an entity's keys say about its device. */
export interface Described {
  /** In the order of writing. */
  readonly fields: Readonly<Record<string, WrittenField>>;
  /** What was not taken over, in words. */
  readonly caveats?: readonly string[];
}

/** One kind of entity: the keys that Home Assistant has for it, and the fields that they make. */
export interface Description<Schema extends z.ZodObject> {
  readonly schema: Schema;
  fields(entity: z.output<Schema>): Described;
}

/** A kind with its schema and its fields tied together. */
interface Kind {
  readonly schema: z.ZodObject;
  /** @param parsed what `schema` made of it */
  describe(parsed: unknown): Described & { readonly common: CommonEntity };
}

function kind<Schema extends z.ZodObject>(description: Description<Schema>): Kind {
  return {
    schema: description.schema,
    describe: (parsed) => ({
      ...description.fields(parsed as z.output<Schema>),
      common: parsed as CommonEntity,
    }),
  };
}

export const ENTITY_KINDS = {
  climate: kind(climate),
  fan: kind(fan),
  light: kind(light),
  cover: kind(cover),
  switch: kind(switchKind),
  humidifier: kind(humidifier),
} satisfies Record<DeviceKind, Kind>;
