import type { TasksClient } from './tasks-client.ts';

/** What the two devices' tools and the handle tools cost in the project's first text, in bytes of JSON. */
export const SEED_TOOL_LIST_BYTES = 5_082;

/** What they may cost here: as much as that text's tools did before a command could outlive its call. */
export const MAX_TOOL_LIST_BYTES = 3_474;

/** What a model reads of the tools on every turn: the bytes of the `tools` array as JSON. */
export async function toolListBytes({ client }: TasksClient): Promise<number> {
  const { tools } = await client.listTools();
  return Buffer.byteLength(JSON.stringify(tools));
}
