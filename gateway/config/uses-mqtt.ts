import type { DeviceConfig } from './schema-device.ts';

/** Whether a device needs the broker. */
export function usesMqtt(device: DeviceConfig): boolean {
  if (device.errors.length > 0 || device.availability?.type === 'topics') return true;
  return Object.values(device.fields).some(({ write, read, read_now, ack }) =>
    [write, read, read_now, ack].some((part) => typeof part === 'object' && part.topic !== undefined),
  );
}
