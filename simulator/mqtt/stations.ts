import type { DeviceModel } from '../core/model.ts';
import { CN105_BRIDGE } from './cn105.ts';
import { ESPHOME_NODE } from './esphome.ts';
import type { StationPlan } from './station.ts';
import { TASMOTA_PLUG } from './tasmota.ts';
import { ZIGBEE_DEVICES } from './zigbee-devices.ts';
import { zigbeeBridge } from './zigbee2mqtt.ts';

/** Everything on the broker: one bridge with three devices, and three devices of their own. */
export const STATIONS: readonly StationPlan[] = [
  zigbeeBridge(ZIGBEE_DEVICES),
  ESPHOME_NODE,
  TASMOTA_PLUG,
  CN105_BRIDGE,
];

export const MQTT_MODELS: readonly DeviceModel[] = STATIONS.flatMap(({ dialects }) =>
  dialects.map(({ model }) => model),
);
