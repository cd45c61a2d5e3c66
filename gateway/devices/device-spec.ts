import type { DeviceConfig } from '../config/schema-device.ts';
import type { FieldConfig } from '../config/schema-field.ts';
import type { DeviceSpec } from '../domain/device.ts';
import type { Comparison, FieldSpec, Readback } from '../domain/field.ts';
import { compileApplies } from './applies.ts';

/** Home Assistant's fields that are numbers even where the configuration gives no limits. */
const NUMERIC_NAMES: ReadonlySet<string> = new Set([
  'brightness',
  'color_temp',
  'color_temp_kelvin',
  'current_humidity',
  'current_position',
  'current_temperature',
  'current_tilt_position',
  'humidity',
  'percentage',
  'position',
  'target_humidity',
  'target_temperature',
  'target_temperature_high',
  'target_temperature_low',
  'temperature',
  'tilt_position',
]);

/**
 * The device as the plan, the judge and the tools know it, whatever its protocol.
 * @throws StartError where a template cannot be read
 */
export function compileSpec(id: string, config: DeviceConfig): DeviceSpec {
  const names = Object.keys(config.fields);
  const fields = Object.entries(config.fields).map(([name, field]) => [
    name,
    compileField(name, field, names, `devices.${id}.fields.${name}`),
  ]);
  return {
    id,
    name: config.name,
    ...(config.area !== undefined && { area: config.area }),
    kind: config.kind,
    fields: Object.fromEntries(fields),
    order: [...new Set([...config.order, ...names])],
    guard: config.guard,
    sideEffects: config.side_effects,
    verify: {
      echoMs: config.verify.echo,
      settleMs: config.verify.settle,
      deadlineMs: config.verify.deadline,
      watchMs: config.verify.watch,
      pollMs: config.verify.poll,
      level: config.verify.level,
      confirm: config.verify.confirm,
      resend: config.verify.resend,
    },
    minGapMs: config.http?.min_gap ?? 0,
    caveats: config.caveats,
  };
}

function compileField(name: string, field: FieldConfig, names: readonly string[], where: string): FieldSpec {
  return {
    name,
    compare: comparisonOf(name, field),
    writable: field.write !== undefined && !field.read_only,
    readback: readbackOf(field),
    ...(field.options && { options: field.options }),
    map: field.map,
    alias: field.alias,
    ...(field.min !== undefined && { min: field.min }),
    ...(field.max !== undefined && { max: field.max }),
    ...(field.step !== undefined && { step: field.step }),
    ...(field.min_by && { minBy: field.min_by }),
    ...(field.max_by && { maxBy: field.max_by }),
    ...(field.unit !== undefined && { unit: field.unit }),
    scale: field.scale,
    nulls: field.nulls,
    ...compileApplies(field.applies_when, names, `${where}.applies_when`),
    approval: field.approval,
  };
}

/** Words, unless something says number and nothing says word. */
function comparisonOf(name: string, field: FieldConfig): Comparison {
  const hasWords = field.options !== undefined || field.map.some(([, ours]) => Number.isNaN(Number(ours)));
  const hasNumbers =
    [field.min, field.max, field.step, field.unit, field.tolerance, field.min_by, field.max_by].some(
      (key) => key !== undefined,
    ) || field.scale !== 1;
  if (hasWords || !(hasNumbers || NUMERIC_NAMES.has(name))) return { type: 'option' };
  return { type: 'number', tolerance: field.tolerance ?? (field.step ?? 0) / 2 };
}

function readbackOf(field: FieldConfig): Readback {
  return {
    readable: field.read !== undefined,
    push: field.read?.topic !== undefined || field.read?.events !== undefined,
    askable: field.read?.request !== undefined || field.read_now !== undefined,
    ackable: field.ack !== undefined || field.read !== undefined,
  };
}
