import * as z from 'zod';
import type { Connection } from './connection.ts';
import type { Target } from './wish.ts';

/** How this project's gateway lists the devices of a tool. */
const deviceTool = z.looseObject({
  properties: z.looseObject({ device: z.looseObject({ enum: z.array(z.string()) }) }),
});

/** The call of a tool that carries out a wish. */
export type ToolCall = Pick<Extract<Target, { type: 'tool' }>, 'name' | 'args'>;

/**
 * Which tool does what is wished.
 * @param tools as the server lists them; asked for only where a device is named, and anew where that is not among them
 * @returns the call; or a sentence that says why there is none
 */
export async function toolCallFor(target: Target, tools: Connection['tools']): Promise<ToolCall | string> {
  if (target.type === 'tool') return target;
  const { device, set } = target;
  let known: string[] = [];
  for (const mode of ['use', 'refresh'] as const) {
    known = [];
    for (const { name, inputSchema } of await tools(mode)) {
      const devices = name.startsWith('set_')
        ? (deviceTool.safeParse(inputSchema).data?.properties.device.enum ?? [])
        : [];
      if (devices.includes(device)) return { name, args: { device, ...set } };
      known.push(...devices);
    }
  }
  return `There is no device "${device}"; ${known.length > 0 ? `there are: ${known.join(', ')}` : 'the server has none that can be set'}.`;
}
