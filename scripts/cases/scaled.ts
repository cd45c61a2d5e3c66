import type { DeviceConfig } from '../../gateway/config/schema-device.ts';

/** The device with every time of its own divided by `speed`. */
export function scaled(config: DeviceConfig, speed: number): DeviceConfig {
  const { verify, http } = config;
  return {
    ...config,
    verify: {
      ...verify,
      echo: verify.echo / speed,
      settle: verify.settle / speed,
      deadline: verify.deadline / speed,
      watch: verify.watch / speed,
      poll: verify.poll.map((gap) => gap / speed),
    },
    ...(http && { http: { ...http, timeout: http.timeout / speed, min_gap: http.min_gap / speed } }),
    fields: Object.fromEntries(
      Object.entries(config.fields).map(([name, field]) => [
        name,
        field.read?.period === undefined
          ? field
          : { ...field, read: { ...field.read, period: field.read.period / speed } },
      ]),
    ),
  };
}

/** The address by which cases call their device over HTTP. */
const DEVICE_ADDRESS = /^http:\/\/device(?=$|\/)/;

/** The device as a case writes it, with the scripted device's address in every place of the written one. */
export function addressed(node: unknown, origin: string): unknown {
  if (typeof node === 'string') return node.replace(DEVICE_ADDRESS, origin);
  if (Array.isArray(node)) return node.map((each) => addressed(each, origin));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, each]) => [key, addressed(each, origin)]));
}
