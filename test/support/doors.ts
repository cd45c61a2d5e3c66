import { homeConfigSchema } from '../../gateway/config/schema.ts';
import type { SimulatorPanel } from '../../gateway/dashboard/simulator-panel.ts';
import type { TokenRecord } from '../../gateway/domain/principal.ts';
import { buildDoors } from '../../gateway/doors.ts';
import { type AppOptions, createHandler } from '../../gateway/http/app.ts';
import { type Certificate, type ListenOptions, listen } from '../../gateway/http/listen.ts';
import { Metrics } from '../../gateway/http/metrics.ts';
import { Tokens } from '../../gateway/http/tokens.ts';
import { DEMO_AC, DEMO_FAN, withApproval } from './demo-devices.ts';
import { FakeCommands } from './fake-commands.ts';
import { RecordingLog } from './logs.ts';

/** A simulator that simulates nothing. */
const PANEL: SimulatorPanel = { faults: [], devices: () => [], change: () => undefined };

/** Everything through which clients come in, as the daemon opens it, over scripted commands and on a real socket. */
export interface TestDoors {
  readonly origin: string;
  readonly port: number;
  readonly tokens: Tokens;
  readonly commands: FakeCommands;
  readonly app: AppOptions;
  readonly log: RecordingLog;
  close(): Promise<void>;
}

/** What a test may want of them beside the usual. */
export interface TestDoorsOptions extends Pick<ListenOptions, 'patience'> {
  readonly configured?: readonly TokenRecord[];
  /** `server:` of the configuration. */
  readonly server?: object;
  readonly certificate?: Certificate;
}

/** Opens them on a free port of loopback. */
export async function openTestDoors(options: TestDoorsOptions = {}): Promise<TestDoors> {
  const { configured = [], server = {}, ...listening } = options;
  const commands = new FakeCommands([withApproval(DEMO_AC), DEMO_FAN]);
  const log = new RecordingLog();
  const home = homeConfigSchema.parse({ mqtt: { discovery: true }, server });
  const tokens = new Tokens({ configured });
  const { mcp, app } = buildDoors({
    name: 'readback',
    version: '0.0.0-test',
    home: () => home,
    host: '127.0.0.1',
    commands,
    clock: commands.clock,
    tokens,
    stateKey: new Uint8Array(32),
    leftOut: () => [],
    panel: PANEL,
    checks: {},
    metrics: new Metrics(),
    logOf: () => log,
  });
  const { url, port, close } = await listen(
    createHandler(app),
    { host: '127.0.0.1', port: 0 },
    { ...home.server.limits, ...listening },
  );
  return {
    origin: url,
    port,
    tokens,
    commands,
    app,
    log,
    async close() {
      await mcp.close();
      await close();
    },
  };
}
