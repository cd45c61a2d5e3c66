import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Engine } from './actuation/engine.ts';
import { Pruning } from './actuation/pruning.ts';
import { systemClock } from './actuation/system-clock.ts';
import type { HomeConfig } from './config/schema.ts';
import { retentionOf } from './config/schema-tasks.ts';
import { shippedPath } from './config/shipped.ts';
import { startDiscovery } from './devices/discovery/discovery.ts';
import { buildRegistry } from './devices/registry.ts';
import type { Actuation } from './domain/actuation.ts';
import type { Log } from './domain/log.ts';
import { openDoors } from './doors.ts';
import { startMqtt } from './mqtt.ts';
import { openHomeStore } from './store/home-store.ts';
import { secretKey } from './store/secret-key.ts';
import { openTokens } from './tokens.ts';

export interface GatewayOptions {
  readonly home: HomeConfig;
  /** Folder of the task store; it belongs to one process at a time. */
  readonly dataFolder: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Log;
}

/** A gateway that runs. */
export interface Gateway {
  /** Where MCP clients connect. */
  readonly mcpUrl: string;
  /** The broker in use; null where nothing of the home speaks MQTT. */
  readonly brokerUrl: string | null;
  /** Hears every new durable state of every command. */
  subscribe(listener: (actuation: Actuation) => void): () => void;
  /** Answers what is open, stores what is under way and lets go of everything; open commands go on at the next start. */
  close(): Promise<void>;
}

/** The version in package.json. */
export function version(): string {
  const text = readFileSync(`${dirname(shippedPath(''))}/package.json`, 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}

/**
 * Puts a gateway together and starts it: the store first, so that nothing is promised that cannot be kept; the doors
 * last. What had been started is stopped again when something fails.
 * @throws StartError, StoreError or ConfigError, each in words for the person who starts it
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { home, log } = options;
  const tokens = await openTokens(home.tokens, options);
  const clock = systemClock();
  const undo: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const { tasks, habits, aftermaths, history, ages, keys } = await openHomeStore({
      folder: options.dataFolder,
      onNotice: (notice) => log.warn({ ...notice }, 'the task store has something to say'),
    });
    undo.push(() => tasks.close());
    const mqtt = home.mqtt ? await startMqtt(home.mqtt, { clock, log }) : null;
    if (mqtt) undo.push(() => mqtt.stop());
    const registry = buildRegistry(home, { clock, log, ...(mqtt ? { mqtt: mqtt.link } : {}) });
    await registry.start();
    undo.push(() => registry.stop());
    const engine = new Engine({
      devices: registry,
      store: tasks,
      habits,
      aftermaths,
      history,
      clock,
      log,
      ttlMs: home.tasks.ttl,
      approvalTtlMs: home.approvals.ttl,
    });
    await engine.start();
    undo.push(() => engine.stop());
    const isDevice = (id: string) => engine.view(id) !== undefined;
    const retention = retentionOf(home.tasks);
    const pruning = new Pruning({ tasks, habits, aftermaths, history, ages, isDevice, retention, clock, log });
    pruning.start();
    undo.push(() => pruning.stop());
    if (mqtt && home.mqtt?.discovery) {
      const { discovery: wanted, discovery_prefix: prefix, status_topic: statusTopic } = home.mqtt;
      const discovery = await startDiscovery({
        link: mqtt.link,
        registry,
        clock,
        log,
        prefix,
        statusTopic,
        allow: wanted === true ? null : wanted.allow,
        configured: () => home.devices,
      });
      undo.push(() => discovery.stop());
    }
    const identity = { name: 'readback', version: version() };
    const stateKey = await secretKey(keys, 'request_state');
    const listener = await openDoors({ ...options, ...identity, commands: engine, clock, tokens, stateKey }, undo);
    return {
      mcpUrl: `${listener.url}/mcp`,
      brokerUrl: mqtt?.brokerUrl ?? null,
      subscribe: (hear) => engine.subscribe(hear),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
