import type { PublishConfig } from '../config/schema-field.ts';
import { decodePayload, type Payload } from './payload.ts';
import { compileJson } from './request-parts.ts';
import type { TemplateVariables } from './template.ts';
import { compileText, type Part } from './text-part.ts';

/** A message of ours, compiled. Its topic is fixed: only the payload is made from templates. */
export interface MqttTemplate {
  readonly topic: string;
  readonly qos: 0 | 1;
  render(variables: TemplateVariables): Part<string>;
}

/**
 * @param where the message's place in the configuration: `devices.ac.fields.power.write`
 * @throws StartError where a template cannot be read
 */
export function compileMessage(config: PublishConfig, where: string): MqttTemplate {
  // QoS 2 would add nothing: that the broker has the message is all that an acknowledgement can say.
  const qos = config.qos === 0 ? 0 : 1;
  return { topic: config.topic, qos, render: compileBody(config.payload, `${where}.payload`) };
}

function compileBody(payload: PublishConfig['payload'], where: string): MqttTemplate['render'] {
  if (typeof payload !== 'string') {
    const json = compileJson(payload, where);
    return (variables) => {
      const part = json(variables);
      return part.ok ? { ok: true, value: JSON.stringify(part.value) } : part;
    };
  }
  const text = compileText(payload, where);
  return (variables) => {
    const part = text.render(variables);
    // Some devices take an empty message for a question: it is sent only where it is written so.
    const isNothing = part.ok && (part.value === undefined || (part.value === '' && payload !== ''));
    return isNothing ? { ok: false, detail: `${where}: ${payload.slice(0, 100)} gives nothing for this value` } : part;
  };
}

/** Larger messages are not looked into, in bytes. */
const MAX_MESSAGE = 256 * 1024;

const utf8 = new TextDecoder();

/** What templates and paths see of a message; undefined where it is too large to be looked into. */
export function readMessage(bytes: Uint8Array): Payload | undefined {
  return bytes.byteLength > MAX_MESSAGE ? undefined : decodePayload('json', utf8.decode(bytes)).payload;
}
