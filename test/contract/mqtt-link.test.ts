import { describe, it } from 'vitest';
import { embeddedBroker, mosquitto, mosquittoPath } from '../support/brokers.ts';
import { mqttLinkContract } from './mqtt-link.contract.ts';

mqttLinkContract('the embedded broker', embeddedBroker);

if (mosquittoPath) mqttLinkContract("Debian's mosquitto", mosquitto);
else describe("the link over Debian's mosquitto", () => it.skip('mosquitto is not installed here', () => {}));
