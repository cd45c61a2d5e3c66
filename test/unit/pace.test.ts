import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pace } from '../../gateway/streams/pace.ts';

let told: string[];
let pace: Pace;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  pace = new Pace(1_000, (topic) => told.push(topic));
});

afterEach(() => {
  pace.stop();
  vi.useRealTimers();
});

describe('the pace of news', () => {
  it('is at once for the first, and for one that comes after a rest', () => {
    pace.news('ac');
    expect(told).toEqual(['ac']);
    vi.advanceTimersByTime(5_000);
    expect(told).toEqual(['ac']);
    pace.news('ac');
    expect(told).toEqual(['ac', 'ac']);
  });

  it('is steady while more keeps coming, and tells the last', () => {
    for (let ms = 0; ms < 10_000; ms += 100) {
      pace.news('ac');
      vi.advanceTimersByTime(100);
    }
    expect(told).toHaveLength(11);
    vi.advanceTimersByTime(10_000);
    expect(told).toHaveLength(11);
  });

  it('is kept for each topic by itself', () => {
    pace.news('ac');
    pace.news('ac');
    pace.news('fan');
    expect(told).toEqual(['ac', 'fan']);
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['ac', 'fan', 'ac']);
  });

  it('tells nothing after the stop', () => {
    pace.news('ac');
    pace.news('ac');
    pace.stop();
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual(['ac']);
  });
});
