import { Router } from 'express';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { listen } from '../../gateway/http/listen.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { serveOffer } from '../../gateway/mcp/endpoint.ts';
import { fixtureOffer } from './fixtures/offer.ts';

/** The gateway's own endpoint and HTTP application, with the suite's fixtures in place of a home. */
export interface FixtureServer {
  readonly url: string;
  /** Faults of ours while the suite was asking; there should be none. */
  readonly faults: readonly Error[];
  close(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startFixtureServer(): Promise<FixtureServer> {
  const faults: Error[] = [];
  const host = '127.0.0.1';
  const about = { name: 'readback-conformance', version: '0', onError: (error: Error) => void faults.push(error) };
  const mcp = serveOffer(fixtureOffer, { ...about, onRejected: () => {} });
  const listener = await listen(
    createHandler({ ...about, mcp, host, api: Router(), access: createAccess(new Tokens({ configured: [] })) }),
    {
      host,
      port: 0,
    },
  );
  return {
    url: `${listener.url}/mcp`,
    faults,
    async close() {
      await mcp.close();
      await listener.close();
    },
  };
}
