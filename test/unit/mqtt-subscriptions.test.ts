import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches } from '../../gateway/transports/mqtt-filter.ts';
import type { MqttMessage } from '../../gateway/transports/mqtt-link.ts';
import { MqttSubscriptions, type SubscriptionChange } from '../../gateway/transports/mqtt-subscriptions.ts';

const at = { mono: 0, wall: 0 };

function message(topic: string, text: string, retained = false): MqttMessage {
  return { topic, payload: Buffer.from(text), retained, at };
}

function subscriptions(): MqttSubscriptions {
  return new MqttSubscriptions((error) => {
    throw error;
  });
}

/** A broker that sends a message for each filter that takes it, each carrying its number, on an ordered line. */
class ModelBroker {
  readonly #client: MqttSubscriptions;
  readonly #standing = new Map<string, number>();
  readonly #commands: (() => void)[] = [];
  readonly #line: (() => void)[] = [];

  constructor(client: MqttSubscriptions) {
    this.#client = client;
  }

  /** The client says what has changed. */
  say({ number, subscribe, unsubscribe }: SubscriptionChange): void {
    this.#commands.push(() => {
      for (const filter of subscribe) this.#standing.set(filter, number);
      this.#line.push(() => this.#client.subscribed(number, subscribe, []));
    });
    this.#commands.push(() => {
      for (const filter of unsubscribe) this.#standing.delete(filter);
      this.#line.push(() => this.#client.unsubscribed(unsubscribe));
    });
  }

  publish(topic: string, text: string): void {
    for (const [filter, number] of this.#standing) {
      if (matches(filter, topic)) this.#line.push(() => this.#client.deliver(message(topic, text), [number]));
    }
  }

  obey(): void {
    this.#commands.shift()?.();
  }

  send(): void {
    this.#line.shift()?.();
  }

  settle(): void {
    while (this.#commands.length > 0) this.obey();
    while (this.#line.length > 0) this.send();
  }
}

const word = fc.constantFrom('a', 'b');
const topic = fc.array(word, { minLength: 1, maxLength: 3 }).map((levels) => levels.join('/'));
const filter = fc
  .tuple(fc.array(fc.oneof(word, fc.constant('+')), { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([levels, open]) => [...levels, ...(open ? ['#'] : [])].join('/'));
const step = fc.oneof(
  fc.record({ type: fc.constant('add' as const), filter }),
  fc.record({ type: fc.constant('end' as const), index: fc.nat() }),
  fc.record({ type: fc.constant('publish' as const), topic }),
  fc.record({ type: fc.constant('obey' as const) }),
  fc.record({ type: fc.constant('send' as const) }),
);

describe('subscriptions', () => {
  it('give a listener every message once, whatever others subscribe to and leave meanwhile', () => {
    fc.assert(
      fc.property(filter, fc.array(step, { maxLength: 60 }), (own, steps) => {
        const client = subscriptions();
        const broker = new ModelBroker(client);
        const heard: string[] = [];
        client.add(own, ({ payload }) => heard.push(Buffer.from(payload).toString()));
        broker.say(client.change());
        broker.settle();
        const ends: (() => void)[] = [];
        const expected: string[] = [];
        for (const [index, each] of steps.entries()) {
          switch (each.type) {
            case 'add':
              ends.push(client.add(each.filter, () => {}));
              broker.say(client.change());
              break;
            case 'end':
              ends.splice(each.index % Math.max(ends.length, 1), 1)[0]?.();
              broker.say(client.change());
              break;
            case 'publish':
              broker.publish(each.topic, `${index}`);
              if (matches(own, each.topic)) expected.push(`${index}`);
              break;
            case 'obey':
              broker.obey();
              break;
            case 'send':
              broker.send();
              break;
          }
        }
        broker.settle();
        expect(heard).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ask for the parts of a filter that the broker refuses, and for no more than that', () => {
    const client = subscriptions();
    client.add('home/#', () => {});
    client.add('home/ac/state', () => {});
    client.add('home/fan/+', () => {});
    const first = client.change();
    expect(first.subscribe).toEqual(['home/#']);
    expect(client.subscribed(first.number, first.subscribe, ['home/#'])).toBe(true);
    const second = client.change();
    expect(second.subscribe.toSorted()).toEqual(['home/ac/state', 'home/fan/+']);
    client.subscribed(second.number, second.subscribe, ['home/fan/+']);
    expect(client.change()).toMatchObject({ subscribe: [], unsubscribe: [] });
    client.reset();
    expect(client.change().subscribe).toEqual(['home/#']);
  });

  it('ask one by one for filters that were only refused together', () => {
    const client = subscriptions();
    client.add('+/state', () => {});
    client.add('ac/+', () => {});
    const first = client.change();
    expect(first.subscribe).toEqual(['+/+']);
    client.subscribed(first.number, first.subscribe, ['+/+']);
    expect(client.change().subscribe.toSorted()).toEqual(['+/state', 'ac/+']);
  });

  it('let no listener hear more that was ended by another one', () => {
    const client = subscriptions();
    const heard: string[] = [];
    let end = () => {};
    client.add('a', () => end());
    end = client.add('a', () => heard.push('second'));
    client.deliver(message('a', 'x'));
    expect(heard).toEqual([]);
  });

  it('pass over what is kept for those who heard of its topic', () => {
    const client = subscriptions();
    const [early, late]: [string[], string[]] = [[], []];
    client.add('a', ({ payload }) => early.push(Buffer.from(payload).toString()));
    client.deliver(message('a', 'news'));
    client.add('a', ({ payload }) => late.push(Buffer.from(payload).toString()));
    client.deliver(message('a', 'kept', true));
    expect([early, late]).toEqual([['news'], ['kept']]);
    client.reset();
    client.deliver(message('a', 'kept', true));
    expect(early).toEqual(['news', 'kept']);
  });
});
