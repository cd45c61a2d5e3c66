import { stringify } from 'yaml';
import { suffix } from '../../simulator/core/copies.ts';

/** Few tasks are kept, and not for long, so that forgetting goes on all the time. */
const TASKS = { ttl: '1m', keep_at_most: 100 };

const directions = { AUTO: 'auto', SWING: 'swing', NEAR: 'near', MIDDLE: 'middle', FAR: 'far' };
/** Longer than a device repeats what it was told, where it does. */
const verify = { poll: ['500ms', '1s'], echo: '2s', settle: '0s', deadline: '8s', watch: '10s' };
const reject = '{{ value_json.error is defined }}';

/**
 * The configuration of the home that is soaked: the HTTP devices described, those on the broker by their own
 * announcements.
 */
export function soakedHome({ copies, base, broker }: { copies: number; base: string; broker: string }): string {
  const numbers = Array.from({ length: copies }, (_, index) => index + 1);
  const devices = Object.fromEntries(
    numbers.flatMap((number) => [
      [`ac${suffix(number)}`, airConditioner(`ac${suffix(number)}`, base)],
      [`fan${suffix(number)}`, fan(`fan${suffix(number)}`, base)],
    ]),
  );
  return stringify({ mqtt: { broker }, tasks: TASKS, devices });
}

function airConditioner(id: string, base: string) {
  return {
    kind: 'climate',
    http: { base, timeout: '2s' },
    requests: {
      status: { get: `/sensors/${id}` },
      apply: { post: `/control/${id}`, json: { temperature: '{{ want.target_temperature }}' }, reject },
    },
    fields: {
      target_temperature: {
        write: 'apply',
        read: { request: 'status', path: 'temperature' },
        ...{ min: 16, max: 30, step: 0.1, unit: 'C' },
      },
    },
    availability: { request: 'status' },
    verify,
  };
}

function fan(id: string, base: string) {
  const direction = (path: string) => ({ write: 'apply', read: { request: 'status', path }, map: directions });
  return {
    kind: 'fan',
    http: { base, timeout: '2s' },
    requests: {
      status: { get: `/sensors/${id}` },
      apply: {
        post: `/control/${id}`,
        json: { vertical: '{{ want.swing_mode }}', horizontal: '{{ want.swing_horizontal_mode }}' },
        reject,
      },
    },
    fields: { swing_mode: direction('vertical'), swing_horizontal_mode: direction('horizontal') },
    availability: { request: 'status' },
    verify,
  };
}
