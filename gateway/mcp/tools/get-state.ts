import * as z from 'zod';
import type { Commands } from '../../actuation/commands.ts';
import { UserError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import { stateData, stateText } from '../state-view.ts';
import { defineTool, type Tool } from '../tool.ts';

/** A state that was read this recently is not asked for again, in ms. */
const FRESH_MS = 1_000;

/** `get_state`: what is known of one device or of all, and how old it is. */
export function getStateTool(commands: Commands, clock: Clock): Tool {
  const ids = commands.devices().map((spec) => spec.id);
  return defineTool({
    name: 'get_state',
    description: "Read devices' present values, each with its age; all devices if none is named.",
    scope: 'read',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.object({ device: z.string().optional() }),
    inputSchema: { type: 'object', properties: { device: { type: 'string', enum: ids } } },
    async run({ device }) {
      if (device !== undefined && !ids.includes(device)) {
        throw new UserError('unknown_device', `There is no device "${device}"; there are: ${ids.join(', ')}`);
      }
      const views = await commands.look(device === undefined ? ids : [device], FRESH_MS);
      const now = clock.now();
      const told = views.map((view) => ({ data: stateData(view, now), fields: view.spec.fields }));
      return {
        content: [{ type: 'text', text: told.map(({ data, fields }) => stateText(data, fields)).join('\n') }],
        structuredContent: { devices: told.map(({ data }) => data) },
      };
    },
  });
}
