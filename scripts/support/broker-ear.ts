import { connectAsync } from 'mqtt';

/** A message as it went over the broker, in JSON. */
export interface Heard {
  /** When, in ms since 1970. */
  readonly epoch_ms: number;
  readonly topic: string;
  readonly payload: unknown;
}

/** Listens on a broker beside the gateway: what was really said, whoever made what of it. */
export interface BrokerEar {
  /** What was said on a topic since then, oldest first; messages that are no JSON are left out. */
  since(topic: string, epochMs: number): readonly Heard[];
  close(): Promise<void>;
}

/** @throws Error where the broker cannot be reached, or does not let it listen */
export async function openBrokerEar(url: string, topics: readonly string[]): Promise<BrokerEar> {
  const client = await connectAsync(url, { reconnectPeriod: 0 });
  const heard: Heard[] = [];
  client.on('message', (topic, payload) => {
    const json = parsed(payload.toString());
    if (json !== undefined) heard.push({ epoch_ms: Date.now(), topic, payload: json });
  });
  await client.subscribeAsync([...topics]);
  return {
    since: (topic, epochMs) => heard.filter((each) => each.topic === topic && each.epoch_ms >= epochMs),
    close: () => client.endAsync(true),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
