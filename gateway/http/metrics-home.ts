import { Gauge, type Registry } from 'prom-client';
import type { DeviceKind } from '../domain/device.ts';

/** What is asked for at every look. */
export interface HomeSources {
  readonly devices: () => readonly { readonly id: string; readonly kind: DeviceKind; readonly reachable: boolean }[];
  /** Null where the home uses no broker. */
  readonly brokerConnected: (() => boolean) | null;
  /** Who listens: streams of protocol 2026-07-28, sessions of older ones, and open pages. */
  readonly listeners: () => { readonly streams: number; readonly sessions: number; readonly pages: number };
}

/** Shows how the home is: its devices, its broker, and who listens. */
export function homeMetrics(registry: Registry, { devices, brokerConnected, listeners }: HomeSources): void {
  const registers = [registry];
  new Gauge({
    name: 'readback_device_reachable',
    help: '0 for a device that is known to be out of reach, else 1.',
    labelNames: ['device', 'kind'],
    registers,
    collect() {
      // A device that has gone is shown no more.
      this.reset();
      for (const { id, kind, reachable } of devices()) this.set({ device: id, kind }, reachable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'readback_listeners',
    help: 'Who listens: a "stream" of protocol 2026-07-28, a "session" of an older one, a "page".',
    labelNames: ['type'],
    registers,
    collect() {
      const { streams, sessions, pages } = listeners();
      this.set({ type: 'stream' }, streams);
      this.set({ type: 'session' }, sessions);
      this.set({ type: 'page' }, pages);
    },
  });
  if (!brokerConnected) return;
  new Gauge({
    name: 'readback_broker_connected',
    help: '1 while the connection to the MQTT broker stands, else 0.',
    registers,
    collect() {
      this.set(brokerConnected() ? 1 : 0);
    },
  });
}
