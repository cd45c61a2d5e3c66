import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Topics } from '../../gateway/mcp/topics.ts';

describe('topics', () => {
  it('tell exactly those who follow them', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const who = fc.integer({ min: 0, max: 3 });
    const act = fc.record({ what: fc.constantFrom('follow', 'leave', 'publish'), topic: name, who });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const topics = new Topics<string>();
        const model = new Map<string, Set<number>>([...'abc'].map((topic) => [topic, new Set()]));
        const heard: number[] = [];
        const listeners = [0, 1, 2, 3].map((index) => () => void heard.push(index));
        for (const { what, topic, who: index } of acts) {
          const listener = listeners[index] as () => void;
          if (what === 'follow') {
            topics.follow(topic, listener);
            model.get(topic)?.add(index);
          } else if (what === 'leave') {
            topics.leave(topic, listener);
            model.get(topic)?.delete(index);
          } else {
            heard.length = 0;
            topics.publish(topic, 'news');
            expect(heard).toEqual([...(model.get(topic) ?? [])]);
          }
        }
        expect(topics.size).toBe([...model.values()].filter((set) => set.size > 0).length);
      }),
    );
  });

  it('let a listener leave while it is told', () => {
    const topics = new Topics<number>();
    const heard: string[] = [];
    const once = (news: number) => {
      heard.push(`once ${news}`);
      topics.leave('t', once);
    };
    topics.follow('t', once);
    topics.follow('t', (news) => heard.push(`always ${news}`));
    topics.publish('t', 1);
    topics.publish('t', 2);
    expect(heard).toEqual(['once 1', 'always 1', 'always 2']);
  });

  it('cost the same however many topics others follow', () => {
    const topics = new Topics<number>();
    let heard = 0;
    for (let task = 0; task < 100_000; task += 1) topics.follow(`task ${task}`, () => heard++);
    for (let change = 0; change < 10_000; change += 1) topics.publish('task 77777', change);
    expect(heard).toBe(10_000);
  });
});
