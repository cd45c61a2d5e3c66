import { Engine } from './actuation/engine.ts';
import { Pruning } from './actuation/pruning.ts';
import { newestKept, systemClock } from './actuation/system-clock.ts';
import type { ConfigChanges } from './config/changes.ts';
import type { HomeConfig } from './config/schema.ts';
import { retentionOf } from './config/schema-tasks.ts';
import type { SimulatorPanel } from './dashboard/simulator-panel.ts';
import { type Discovery, startDiscovery } from './devices/discovery/discovery.ts';
import { buildRegistry, type DeviceRegistry } from './devices/registry.ts';
import type { Actuation } from './domain/actuation.ts';
import type { Log, LogOf } from './domain/log.ts';
import type { Clock } from './domain/time.ts';
import { openDoors } from './doors.ts';
import type { HealthChecks } from './http/health.ts';
import { Metrics } from './http/metrics.ts';
import { type Mqtt, startMqtt } from './mqtt.ts';
import { LiveHome } from './reload.ts';
import { type HomeStore, openHomeStore } from './store/home-store.ts';
import { secretKey } from './store/secret-key.ts';
import { storeSize } from './store/store-size.ts';
import { openTokens } from './tokens.ts';
import { type Undo, undoAll } from './undo.ts';
import { version } from './version.ts';

export interface GatewayOptions {
  readonly home: HomeConfig;
  /** Folder of the task store; it belongs to one process at a time. */
  readonly dataFolder: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logOf: LogOf;
  /** There where the demo home runs: its simulator, for people to play with. */
  readonly panel?: SimulatorPanel;
}

/** A gateway that runs. */
export interface Gateway {
  /** Where MCP clients connect. */
  readonly mcpUrl: string;
  /** The broker in use; null where nothing of the home speaks MQTT. */
  readonly brokerUrl: string | null;
  /** Hears every new durable state of every command. */
  subscribe(listener: (actuation: Actuation) => void): () => void;
  /**
   * Takes over a configuration that was read again, as far as that can be done while it runs, and a renewed certificate.
   * @throws StartError or UserError, in words for the owner, where it cannot be carried out; then nothing has changed
   */
  reload(home: HomeConfig): Promise<ConfigChanges>;
  /** Answers what is open, stores what is under way and lets go of everything; open commands go on at the next start. */
  close(): Promise<void>;
}

/**
 * Puts a gateway together and starts it: the store first, so that nothing is promised that cannot be kept; the doors
 * last. What had been started is stopped again when something fails.
 * @throws StartError, StoreError or ConfigError, each in words for the person who starts it
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { home, dataFolder, logOf } = options;
  const tokens = await openTokens(home.tokens, options);
  const live = new LiveHome(home);
  const metrics = new Metrics();
  const undo: Undo[] = [];
  let stopping = false;
  const close = async () => {
    stopping = true;
    await undoAll(undo);
  };
  try {
    const store = await openHomeStore({
      folder: dataFolder,
      onNotice: (notice) => logOf('store').warn({ ...notice }, 'the task store has something to say'),
      onStored: (change) => metrics.stored(change),
    });
    const { tasks, habits, aftermaths, history, ages, keys } = store;
    undo.push(() => tasks.close());
    const clock = systemClock(await newestKept(tasks));
    const mqtt = home.mqtt ? await startMqtt(home.mqtt, { clock, log: logOf('transports') }) : null;
    if (mqtt) undo.push(() => mqtt.stop());
    const deps = { clock, log: logOf('devices'), ...(mqtt ? { mqtt: mqtt.link } : {}) };
    const registry = buildRegistry(home, deps);
    await registry.start();
    undo.push(() => registry.stop());
    const log = logOf('actuation');
    const engine = new Engine({
      devices: registry,
      store: tasks,
      habits,
      aftermaths,
      history,
      clock,
      log,
      get ttlMs() {
        return live.current.tasks.ttl;
      },
      get approvalTtlMs() {
        return live.current.approvals.ttl;
      },
    });
    engine.subscribe((actuation) => metrics.command(actuation));
    await engine.start();
    undo.push(() => engine.stop());
    const pruning = new Pruning({
      tasks,
      habits,
      aftermaths,
      history,
      ages,
      isDevice: (id) => engine.view(id) !== undefined,
      get retention() {
        return retentionOf(live.current.tasks);
      },
      clock,
      log,
    });
    pruning.start();
    undo.push(() => pruning.stop());
    const discovery = await discover(live, { mqtt, registry, clock, log: deps.log });
    if (discovery) undo.push(() => discovery.stop());
    const doors = await openDoors(
      {
        ...options,
        name: 'readback',
        version: version(),
        home: () => live.current,
        commands: engine,
        clock,
        tokens,
        stateKey: await secretKey(keys, 'request_state'),
        leftOut: () => discovery?.leftOut() ?? [],
        checks: checksOf(store, mqtt, () => stopping),
        metrics,
      },
      undo,
    );
    metrics.start({
      devices: () => engine.devices().map(({ id, kind }) => ({ id, kind, reachable: !!engine.view(id)?.reachable })),
      brokerConnected: mqtt && (() => mqtt.link.connected),
      listeners: doors.listeners,
      storeWritable: () => store.health().writable,
      storeSize: () => storeSize(dataFolder),
    });
    undo.push(async () => metrics.stop());
    return {
      mcpUrl: `${doors.url}/mcp`,
      brokerUrl: mqtt?.brokerUrl ?? null,
      subscribe: (hear) => engine.subscribe(hear),
      async reload(next) {
        await doors.renewCertificate();
        return live.take(next, { registry, devices: deps, discovery, tokens, log: logOf('gateway') });
      },
      close,
    };
  } catch (error) {
    // What could not be stopped says less than what went wrong at first.
    await close().catch(() => {});
    throw error;
  }
}

async function discover(
  live: LiveHome,
  { mqtt, ...deps }: { mqtt: Mqtt | null; registry: DeviceRegistry; clock: Clock; log: Log },
): Promise<Discovery | null> {
  const config = live.current.mqtt;
  if (!mqtt || !config?.discovery) return null;
  const { discovery: wanted, discovery_prefix: prefix, status_topic: statusTopic } = config;
  const allow = wanted === true ? null : wanted.allow;
  const configured = () => live.current.devices;
  return startDiscovery({ ...deps, link: mqtt.link, prefix, statusTopic, allow, configured });
}

/** The devices need no check: the doors open once they are started. */
function checksOf(store: HomeStore, mqtt: Mqtt | null, isStopping: () => boolean): HealthChecks {
  return {
    gateway: () => (isStopping() ? 'the gateway is stopping' : null),
    store: () => (store.health().writable ? null : 'nothing can be stored; the log says why'),
    ...(mqtt && { broker: () => (mqtt.link.connected ? null : 'no connection to the broker; the log says why') }),
  };
}
