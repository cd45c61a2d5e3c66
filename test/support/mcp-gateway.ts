import { createDashboard, type DashboardOptions } from '../../gateway/dashboard/dashboard.ts';
import type { DeviceSpec } from '../../gateway/domain/device.ts';
import type { TokenRecord } from '../../gateway/domain/principal.ts';
import { createAccess } from '../../gateway/http/access.ts';
import { createHandler } from '../../gateway/http/app.ts';
import { listen } from '../../gateway/http/listen.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { createMcpEndpoint, type McpEndpointOptions } from '../../gateway/mcp/endpoint.ts';
import { DEMO_AC, DEMO_FAN } from './demo-devices.ts';
import { FakeCommands } from './fake-commands.ts';

/** The gateway's HTTP face over scripted commands, on a real socket. */
export interface TestGateway {
  readonly origin: string;
  readonly url: string;
  readonly commands: FakeCommands;
  /** Faults of ours that were logged. */
  readonly errors: Error[];
  /** Requests that were turned away as no MCP. */
  readonly rejected: Error[];
  /** Ends the streams of open pages, as a stop begins. */
  endPages(): void;
  close(): Promise<void>;
}

/** What a test may want of it beside the usual. */
export interface TestGatewayOptions
  extends Partial<
      Pick<
        McpEndpointOptions,
        | 'inlineWaitMs'
        | 'keepAliveMs'
        | 'maxFollowed'
        | 'maxSessions'
        | 'maxStreams'
        | 'modelMayAnswer'
        | 'sessionIdleMs'
        | 'stateKey'
      >
    >,
    Pick<DashboardOptions, 'beatMs' | 'maxPages' | 'panel'> {
  readonly specs?: readonly DeviceSpec[];
  readonly tokens?: readonly TokenRecord[];
}

/** Starts one on a free port of loopback. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { specs, tokens, ...wanted } = options;
  const commands = new FakeCommands(specs ?? [DEMO_AC, DEMO_FAN]);
  const errors: Error[] = [];
  const rejected: Error[] = [];
  const about = { name: 'readback', version: '0.0.0-test', onError: (error: Error) => void errors.push(error) };
  const onRejected = (error: Error) => void rejected.push(error);
  const mcp = createMcpEndpoint({
    inlineWaitMs: 5_000,
    ...wanted,
    ...about,
    commands,
    clock: commands.clock,
    onRejected,
  });
  const access = createAccess(new Tokens({ configured: tokens ?? [] }));
  const dashboard = createDashboard({ ...wanted, ...about, commands, clock: commands.clock, leftOut: () => [] });
  const app = createHandler({ ...about, mcp, api: dashboard.api, access, host: '127.0.0.1' });
  const listener = await listen(app, { host: '127.0.0.1', port: 0 });
  return {
    origin: listener.url,
    url: `${listener.url}/mcp`,
    commands,
    errors,
    rejected,
    endPages: () => dashboard.close(),
    async close() {
      dashboard.close();
      await mcp.close();
      await listener.close();
    },
  };
}
