import { type DeviceBody, isBlind } from '../../config/home-assistant/describe.ts';
import type { WrittenField } from '../../config/home-assistant/entity-parts.ts';
import { plain } from '../../config/plain.ts';
import { compileTemplate, templateMistake } from '../template.ts';

/**
 * Leaves out the sides of fields whose template this gateway cannot run, and warns of those that say something where the
 * message says nothing: a value that a template invents looks like a reading.
 */
export function withUsableTemplates(body: DeviceBody): { body: DeviceBody; caveats: string[] } {
  const fields: Record<string, WrittenField> = {};
  const caveats: string[] = [];
  const inventing: string[] = [];
  for (const [name, field] of Object.entries(body.fields)) {
    const { write, read, moving_when: moving, ...rest } = field;
    const command = plain(write)['payload'];
    const report = plain(read)['template'];
    const badCommand = typeof command === 'string' ? unusable(command) : undefined;
    const badReport = typeof report === 'string' ? unusable(report) : undefined;
    if (badCommand !== undefined) caveats.push(`${name} cannot be commanded: ${badCommand}`);
    if (badReport !== undefined) caveats.push(`${name} cannot be read: ${badReport}`);
    const writes = write !== undefined && badCommand === undefined;
    const reads = read !== undefined && badReport === undefined;
    if (!writes && !reads) continue;
    const movable = reads && typeof moving === 'string' && unusable(moving) === undefined;
    fields[name] = {
      ...rest,
      ...(writes && { write }),
      ...(reads && { read }),
      ...(movable && { moving_when: moving }),
    };
    if (reads && typeof report === 'string' && invents(report)) inventing.push(name);
  }
  if (inventing.length > 0) {
    caveats.push(`a message without a value is read as one by the templates of ${inventing.join(', ')}`);
  }
  const verify = {
    ...body.verify,
    ...(body.kind === 'climate' && inventing.length > 0 && SLOWER),
    ...(isBlind(fields) && { level: 2 }),
  };
  return { body: { ...body, fields, order: Object.keys(fields), verify }, caveats };
}

/** Bridges whose templates fill gaps repeat commands before the device has answered: their word is given time to change. */
const SLOWER = { echo: '1500ms', settle: '4s' } as const;

/** What is wrong with a template, as far as it shows without a message. */
function unusable(source: string): string | undefined {
  const mistake = templateMistake(source);
  if (mistake !== undefined) return mistake;
  const tried = compileTemplate(source, 'template').render({ value: '', value_json: {} });
  return !tried.ok && /\bunknown (filter|function|test|method)\b/.test(tried.detail) ? tried.detail : undefined;
}

/** Whether a template gives a value for a message that has none. */
function invents(source: string): boolean {
  const tried = compileTemplate(source, 'template').render({ value: '{}', value_json: {} });
  return tried.ok && !['', 'none', 'null', 'unknown', '{}'].includes(tried.text.toLowerCase());
}
