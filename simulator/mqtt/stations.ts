import { severalOf } from '../core/copies.ts';
import { cn105Bridge } from './cn105.ts';
import { esphomeNode } from './esphome.ts';
import type { StationPlan } from './station.ts';
import { tasmotaPlug } from './tasmota.ts';
import { copyOfZigbee, ZIGBEE_DEVICES } from './zigbee-devices.ts';
import { zigbeeBridge } from './zigbee2mqtt.ts';

/** Everything on the broker: one bridge with three devices, and three devices of their own; each `copies` times. */
export function stations(copies: number): readonly StationPlan[] {
  return [
    zigbeeBridge(severalOf(ZIGBEE_DEVICES, copies, copyOfZigbee)),
    ...severalOf([esphomeNode, tasmotaPlug, cn105Bridge], copies, (make, number) => make(number)),
  ];
}
