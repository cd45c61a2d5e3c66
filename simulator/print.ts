import { z } from 'zod';
import { parseInput } from './core/errors.ts';

const countsSchema = z.record(z.string(), z.number());

const truthSchema = z.object({
  counts: z.record(z.string(), countsSchema),
  entries: z.array(
    z.object({
      type: z.string(),
      device: z.string(),
      mono_ms: z.number(),
      epoch_ms: z.number(),
      command: z.number().nullish(),
      body: z.unknown().optional(),
      faults: z.array(z.string()).optional(),
      error: z.string().optional(),
      changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).optional(),
    }),
  ),
});

const homeSchema = z.object({
  devices: z.record(
    z.string(),
    z.object({
      name: z.string(),
      protocol: z.string(),
      delay_ms: z.number(),
      jitter_ms: z.number(),
      reachable: z.boolean(),
      state: z.record(z.string(), z.unknown()),
      faults: z.array(z.object({ fault: z.string(), times_left: z.number().nullable() })),
    }),
  ),
  faults: z.record(
    z.string(),
    z.object({
      description: z.string(),
      protocols: z.array(z.string()),
      parameters: z.record(z.string(), z.object({ default: z.unknown() })),
    }),
  ),
});

/** The ground truth for people, one line for each thing that happened. */
export function printTruth(answer: unknown): string {
  const { counts, entries } = parseInput(truthSchema, answer);
  const width = Math.max(0, ...entries.map(({ device }) => device.length));
  const lines = entries.map((entry) => {
    const time = new Date(entry.epoch_ms).toISOString().slice(11, 23);
    const command = entry.command ? ` #${entry.command}` : '';
    return `${time} ${entry.device.padEnd(width)} ${`${entry.type}${command}`.padEnd(14)} ${detailOf(entry)}`;
  });
  const totals = Object.entries(counts).map(([device, each]) => `${device}: ${pairs(each)}`);
  return [...lines, ...totals].join('\n');
}

function detailOf(entry: z.infer<typeof truthSchema>['entries'][number]): string {
  if (entry.changes) {
    const changes = Object.entries(entry.changes).map(([name, { from, to }]) => `${name} ${from} -> ${to}`);
    return changes.join(', ') || 'nothing changed';
  }
  const faults = entry.faults?.length ? ` [${entry.faults.join(', ')}]` : '';
  return `${JSON.stringify(entry.body)}${faults}${entry.error ? ` ${entry.error}` : ''}`;
}

/** The devices and the faults for people. */
export function printHome(answer: unknown): string {
  const { devices, faults } = parseInput(homeSchema, answer);
  const lines = Object.entries(devices).flatMap(([id, device]) => [
    `${id}: ${device.name}, ${device.protocol}, ${device.reachable ? 'reachable' : 'not reachable'}, acts after ${device.delay_ms} ms` +
      (device.jitter_ms > 0 ? ` and up to ${device.jitter_ms} ms more` : ''),
    `  ${pairs(device.state)}`,
    ...device.faults.map(({ fault, times_left }) => `  armed: ${fault}${times_left ? `, ${times_left} more` : ''}`),
  ]);
  const spoken = new Set(Object.values(devices).map(({ protocol }) => protocol));
  const known = Object.entries(faults).map(([name, { description, protocols, parameters }]) => {
    const defaults = Object.entries(parameters).map(([key, parameter]) => `${key}=${parameter.default}`);
    const only = [...spoken].every((protocol) => protocols.includes(protocol)) ? [] : [`(${protocols.join(', ')})`];
    return `  ${name.padEnd(13)} ${[description, ...only, ...defaults].join(' ')}`;
  });
  return [...lines, 'Faults there are:', ...known].join('\n');
}

function pairs(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
