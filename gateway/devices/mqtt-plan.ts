import type { DeviceConfig } from '../config/schema-device.ts';
import type { FieldConfig } from '../config/schema-field.ts';
import { StartError } from '../domain/errors.ts';
import type { Reason } from '../domain/verdict.ts';
import { compileReader, type FieldReader } from './field-reader.ts';
import { append } from './lists.ts';
import { type AvailabilityPlan, compileAvailability } from './mqtt-availability.ts';
import { compileMessage, type MqttTemplate } from './mqtt-message.ts';
import { compileTemplate, type Template } from './template.ts';

/** How a field is asked for: the message, and the topic on which the answer comes. */
export interface MqttAsker {
  readonly message: MqttTemplate;
  readonly answerTopic: string;
}

/** Messages of a topic that say that a command failed. */
export interface ErrorRule {
  readonly match: Template;
  readonly reason: Reason;
}

/** Which topic writes and reads which field, worked out once from the configuration. Topics may be filters. */
export interface MqttPlan {
  readonly writers: ReadonlyMap<string, MqttTemplate>;
  readonly askers: ReadonlyMap<string, MqttAsker>;
  /** Topic → the fields that its messages report. */
  readonly readers: ReadonlyMap<string, readonly FieldReader[]>;
  /** Topic → the fields whose command its messages acknowledge. */
  readonly acks: ReadonlyMap<string, readonly FieldReader[]>;
  readonly errors: ReadonlyMap<string, readonly ErrorRule[]>;
  readonly availability: AvailabilityPlan | undefined;
}

/**
 * @returns undefined where nothing of the device goes over MQTT
 * @throws StartError for a template that cannot be read, and for a question whose answer could not come
 */
export function compileMqttPlan(id: string, config: DeviceConfig): MqttPlan | undefined {
  const where = `devices.${id}`;
  const writers = new Map<string, MqttTemplate>();
  const askers = new Map<string, MqttAsker>();
  const readers = new Map<string, FieldReader[]>();
  const acks = new Map<string, FieldReader[]>();
  const errors = new Map<string, ErrorRule[]>();
  for (const [name, field] of Object.entries(config.fields)) {
    const at = `${where}.fields.${name}`;
    const { write, read, read_now: readNow, ack } = field;
    refuseMixture(field, at);
    if (typeof write === 'object') writers.set(name, compileMessage(write, `${at}.write`));
    if (read?.topic !== undefined) append(readers, read.topic, compileReader(name, field, read, at));
    if (ack?.topic !== undefined) append(acks, ack.topic, compileReader(name, field, ack, at, 'ack'));
    if (typeof readNow === 'object' && read?.topic !== undefined) {
      askers.set(name, { message: compileMessage(readNow, `${at}.read_now`), answerTopic: read.topic });
    }
  }
  for (const [index, { topic, match, reason }] of config.errors.entries()) {
    append(errors, topic, { match: compileTemplate(match, `${where}.errors.${index}.match`), reason });
  }
  const topics = config.availability?.type === 'topics' ? config.availability : undefined;
  const availability = topics && compileAvailability(topics, `${where}.availability`);
  const isUsed = [writers, askers, readers, acks, errors].some((map) => map.size > 0) || availability !== undefined;
  return isUsed ? { writers, askers, readers, acks, errors, availability } : undefined;
}

/** A field may be written one way and read the other, but a question and its answer go the same way. */
function refuseMixture(field: FieldConfig, at: string): void {
  if (typeof field.read_now === 'object' && field.read?.topic === undefined) {
    throw new StartError(`${at}.read_now: the answer to a message comes on a topic: the field needs read.topic`, 2);
  }
  if (typeof field.write === 'object' && field.ack?.request !== undefined) {
    throw new StartError(`${at}.ack: a message is acknowledged on a topic; a request is not made for it`, 2);
  }
}
