import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { UserError } from '../domain/errors.ts';
import type { Feature } from './offer.ts';
import { wireError } from './wire-error.ts';

/** One thing that can be read by its address. */
export interface ResourceParts {
  readonly definition: Resource;
  /** Its content, as the client shall read it now. */
  read(): Promise<ReadResourceResult>;
}

/** How long a client may keep the list of resources, in ms. */
const LIST_TTL_MS = 60_000;

/** Serves resources: listed, read, and told of where a client listens. */
export function serveResources(resources: () => readonly ResourceParts[]): Feature {
  return ({ server }, { era }, onError) => {
    const tells = era === 'modern';
    server.registerCapabilities({ resources: { listChanged: tells, subscribe: tells } });
    server.setRequestHandler('resources/list', () => ({
      resources: resources().map(({ definition }) => definition),
      ttlMs: LIST_TTL_MS,
      cacheScope: 'private',
    }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const found = resources().find(({ definition }) => definition.uri === uri);
      if (!found) throw new ResourceNotFoundError(uri);
      try {
        return await found.read();
      } catch (error) {
        // What it speaks of has gone meanwhile.
        if (error instanceof UserError) throw new ResourceNotFoundError(uri);
        throw wireError(error, onError);
      }
    });
  };
}

/** A resource's content as JSON. */
export function jsonContent(uri: string, content: unknown, ttlMs = 0): ReadResourceResult {
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(content) }], ttlMs };
}
