import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const unit = readFileSync(new URL('../../config/readback.service', import.meta.url), 'utf8');
const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));

it('is started again for as long as it takes, but for a configuration that cannot be used', () => {
  expect(settings.get('Restart')).toBe('on-failure');
  // 0: systemd counts no tries, and gives up after none.
  expect(settings.get('StartLimitIntervalSec')).toBe('0');
  expect(Number(settings.get('RestartSec'))).toBeGreaterThanOrEqual(10);
  expect(settings.get('RestartPreventExitStatus')).toBe('2');
});
