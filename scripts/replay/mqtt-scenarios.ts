import { acted, decidedByTruth, echoed, observed, received, sent, verdict } from './expectations.ts';
import type { Scenario } from './scenario.ts';

/** What the gateway calls the devices that announce themselves and are commanded here. */
export const MQTT_DEVICE_IDS = ['loft_heat_pump', 'reading_lamp'] as const;
const [HEAT_PUMP, LAMP] = MQTT_DEVICE_IDS;

/** What is replayed over MQTT, on bridges that say that a device has moved before it has. */
export const MQTT_SCENARIOS: readonly Scenario[] = [
  {
    id: 'mqtt_echo',
    title: 'Over MQTT: an echo at once, the old value after it, then the truth',
    device: 'cn105_heatpump',
    sensors: ['temperature'],
    stateTopic: 'heatpump/hp-loft/state',
    call: { tool: 'set_climate', arguments: { device: HEAT_PUMP, target_temperature: 23.5 } },
    expect: [
      verdict('verified'),
      echoed('temperature', 23.5),
      observed({ target_temperature: 23.5 }),
      decidedByTruth('target_temperature'),
      received({ temperature: 23.5 }),
      acted({ temperature: 23.5 }),
    ],
  },
  {
    id: 'mqtt_ignored',
    title: 'Over MQTT: the bridge says that the lamp has moved, and the lamp does nothing',
    device: 'z2m_lamp',
    sensors: ['brightness'],
    stateTopic: 'zigbee2mqtt/reading lamp',
    fault: { name: 'ignore' },
    call: { tool: 'set_light', arguments: { device: LAMP, brightness: 200 } },
    expect: [
      verdict('ignored', 'no_reaction'),
      sent({ brightness: 200 }),
      observed({ brightness: 120 }),
      echoed('brightness', 200),
      received({ state: 'ON', brightness: 200 }),
      acted(),
    ],
  },
];
