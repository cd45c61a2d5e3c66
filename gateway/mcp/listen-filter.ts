import type { Notification, ServerCapabilities, ServerEvent } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** Tasks and resources that one subscription may name. */
export const MAX_NAMED = 20_000;

/** An address longer than this is none of ours. */
const MAX_URI_LENGTH = 256;

/** What a client wants to hear of: MCP's `SubscriptionFilter`, with what the Tasks extension adds to it. */
export const listenFilter = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).max(MAX_NAMED).optional(),
  taskIds: z.array(z.string()).max(MAX_NAMED).optional(),
});
export type ListenFilter = z.output<typeof listenFilter>;

/** What of a filter is told where nothing stands in its way; a kind of news that is not wanted or not told is absent. */
export function honoredBy(filter: ListenFilter, capabilities: ServerCapabilities): ListenFilter {
  const { tools, prompts, resources } = capabilities;
  const uris = [...new Set(filter.resourceSubscriptions)].filter((uri) => uri.length <= MAX_URI_LENGTH);
  return {
    ...(filter.toolsListChanged && tools?.listChanged && { toolsListChanged: true }),
    ...(filter.promptsListChanged && prompts?.listChanged && { promptsListChanged: true }),
    ...(filter.resourcesListChanged && resources?.listChanged && { resourcesListChanged: true }),
    ...(uris.length > 0 && resources?.subscribe && { resourceSubscriptions: uris }),
  };
}

/** The topics of the server's events that a filter asks for. */
export function topicsOf(filter: ListenFilter): string[] {
  const kinds: ServerEvent['kind'][] = [
    ...(filter.toolsListChanged ? (['tools_list_changed'] as const) : []),
    ...(filter.promptsListChanged ? (['prompts_list_changed'] as const) : []),
    ...(filter.resourcesListChanged ? (['resources_list_changed'] as const) : []),
  ];
  return [...kinds, ...(filter.resourceSubscriptions ?? []).map((uri) => `resource_updated ${uri}`)];
}

/** The topic that an event belongs to. */
export function topicOf(event: ServerEvent): string {
  return event.kind === 'resource_updated' ? `${event.kind} ${event.uri}` : event.kind;
}

/** An event as MCP tells it. */
export function notificationOf(event: ServerEvent): Notification {
  if (event.kind === 'resource_updated') {
    return { method: 'notifications/resources/updated', params: { ...event.params, uri: event.uri } };
  }
  const method = `notifications/${event.kind.replace('_list', '/list')}`;
  return { method, ...(event.params && { params: event.params }) };
}
