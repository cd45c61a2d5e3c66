/** One MQTT message; quality of service is always 0, as these devices have it by default. */
export interface Message {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
}

/** Said to whoever listens now. */
export function news(topic: string, payload: unknown): Message {
  return { topic, payload: text(payload), retain: false };
}

/** Kept by the broker for those who come later. */
export function kept(topic: string, payload: unknown): Message {
  return { topic, payload: text(payload), retain: true };
}

/** What Home Assistant's discovery calls a config message. */
export function discovery(component: string, id: string, config: Readonly<Record<string, unknown>>): Message {
  return kept(`homeassistant/${component}/${id}/config`, config);
}

/**
 * A message whose second half was lost. What is left of a number would be another number, and a device that says 2
 * for 22.5 is a fault of another kind: the lost part leaves a mark.
 */
export function garbled({ topic, payload, retain }: Message): Message {
  return { topic, payload: `${payload.slice(0, Math.floor(payload.length / 2))}\u{fffd}`, retain };
}

function text(payload: unknown): string {
  return typeof payload === 'string' ? payload : JSON.stringify(payload);
}
