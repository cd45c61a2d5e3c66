import { homeConfigSchema } from '../../gateway/config/schema.ts';
import type { DeviceConfig } from '../../gateway/config/schema-device.ts';

/** A device's entry as it is written in YAML, checked and filled in. */
export function deviceConfig(written: Readonly<Record<string, unknown>>): DeviceConfig {
  const config = homeConfigSchema.parse({ devices: { ac: { kind: 'climate', ...written } } }).devices['ac'];
  if (!config) throw new Error('the device is missing');
  return config;
}
