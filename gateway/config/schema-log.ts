import * as z from 'zod';
import { LOG_LEVELS, type LogArea } from '../domain/log.ts';
import { strict } from './schema-parts.ts';

const level = z.enum(LOG_LEVELS);
const own = level.optional();

/** `log:`, how much is said and by whom. */
export const logSchema = strict({
  level: level.default('info'),
  /** Parts of the gateway that say more or less than the others, by the names of its folders. */
  areas: strict({
    gateway: own,
    transports: own,
    devices: own,
    actuation: own,
    store: own,
    mcp: own,
    http: own,
    dashboard: own,
  } satisfies Record<LogArea, unknown>).prefault({}),
});

export type LogConfig = z.output<typeof logSchema>;
