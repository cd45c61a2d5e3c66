import { Command, Option } from 'commander';
import { z } from 'zod';
import { ControlClient } from './control-client.ts';
import { InputError, parseInput } from './core/errors.ts';
import { parseDurationMs } from './duration.ts';
import { printHome, printTruth } from './print.ts';
import { type Simulator, startSimulator } from './start.ts';

const DEFAULT_PORT = 8731;
const DEFAULT_BROKER_PORT = 1883;

const port = z.coerce.number().int().min(0).max(65_535);

const serveSchema = z.object({
  host: z.string(),
  port,
  mqtt: z.string().optional(),
  broker: port.optional(),
  delay: z.string().transform(parseDurationMs),
  jitter: z.string().transform(parseDurationMs),
  copies: z.coerce.number().int(),
  seed: z.coerce.number().int(),
  fault: z.array(z.string()),
});

/** Options of the commands that talk to a running simulator. */
interface Remote {
  readonly url: string;
}

/** What the program needs of the process that it runs in. */
export interface Surroundings {
  print(text: string): void;
  /** Takes over a simulator that was started, and sees to its end. */
  started(simulator: Simulator): void;
}

/** The command line of the simulator. Its actions throw the errors of core/errors.ts, each one line for the terminal. */
export function simulatorProgram({ print, started }: Surroundings): Command {
  const program = new Command('readback-simulator')
    .description('Devices that do not exist, over HTTP and MQTT, with an actuation delay and faults.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', String(DEFAULT_PORT))
    .addOption(new Option('--mqtt <url>', 'a broker for the MQTT devices, such as mqtt://127.0.0.1:1883'))
    .addOption(
      new Option('--broker [port]', 'the MQTT devices too, on a broker that the simulator brings along')
        .preset(String(DEFAULT_BROKER_PORT))
        .conflicts('mqtt'),
    )
    .option('--delay <duration>', 'how long the devices take to act', '4s')
    .option('--jitter <duration>', 'the most that is added to the delay at random', '0s')
    .option('--copies <number>', 'how many devices of each kind there are', '1')
    .option('--seed <number>', 'seed of the random numbers', '1')
    .option('--fault <device:fault[,key=value]>', 'a fault to start with; can be repeated', collect, [])
    .action(async (options: unknown) => {
      const { host, port, delay, jitter, copies, seed, fault, mqtt, broker } = parseInput(serveSchema, options);
      const onTrouble = (detail: string) => print(`No connection to the broker yet: ${detail}`);
      const simulator = await startSimulator({
        ...{ host, port, delayMs: delay, jitterMs: jitter, copies, seed },
        ...(mqtt !== undefined && { mqtt: { url: mqtt, onTrouble } }),
        ...(broker !== undefined && { mqtt: { broker: { host, port: broker }, onTrouble } }),
      });
      try {
        for (const each of fault) armAtStart(simulator, each);
      } catch (error) {
        await simulator.close();
        throw error;
      }
      started(simulator);
      print(`Simulator at ${simulator.url}`);
      if (simulator.mqtt) print(`MQTT devices at ${withoutPassword(await simulator.mqtt.url)}`);
    });

  const remote = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .addOption(new Option('--url <url>', 'a running simulator').default(`http://127.0.0.1:${DEFAULT_PORT}`));

  remote('list', 'show the devices, their armed faults, and the faults there are').action(async ({ url }: Remote) => {
    print(printHome(await new ControlClient(url).call('GET', '')));
  });
  remote('fault <device> <fault> [parameters...]', 'arm a fault; parameters are key=value')
    .option('--once', 'for one command only (garbled: one answer, flap: one outage)')
    .action(async (device: string, fault: string, parameters: string[], { url, once }: Remote & { once?: true }) => {
      const order = { ...parseParameters(parameters), ...(once && { times: 1 }), fault };
      await new ControlClient(url).call('POST', `/devices/${encodeURIComponent(device)}/faults`, order);
      print(`${device}: ${fault} is armed ${once ? 'once' : 'until it is cleared'}`);
    });
  remote('clear <device> [fault]', 'clear a fault, or all of them').action(
    async (device: string, fault: string | undefined, { url }: Remote) => {
      const path = `/devices/${encodeURIComponent(device)}/faults`;
      await new ControlClient(url).call('DELETE', fault ? `${path}/${encodeURIComponent(fault)}` : path);
      print(`${device}: ${fault ?? 'every fault'} is cleared`);
    },
  );
  remote('truth [device]', 'show what was really received and done')
    .option('--json', 'as JSON')
    .action(async (device: string | undefined, { url, json }: Remote & { json?: true }) => {
      const truth = await new ControlClient(url).call(
        'GET',
        device ? `/truth/${encodeURIComponent(device)}` : '/truth',
      );
      print(json ? JSON.stringify(truth) : printTruth(truth));
    });
  remote('delay <device> <duration>', 'set how long a device takes to act').action(
    async (device: string, duration: string, { url }: Remote) => {
      const delayMs = parseDurationMs(duration);
      await new ControlClient(url).call('PATCH', `/devices/${encodeURIComponent(device)}`, { delay_ms: delayMs });
      print(`${device}: acts after ${delayMs} ms`);
    },
  );
  return program;
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = '';
  return shown.href;
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

function armAtStart({ home }: Simulator, text: string): void {
  const [target = '', ...parameters] = text.split(',');
  const [device = '', fault = ''] = target.split(':');
  home.arm(device, fault, parseParameters(parameters));
}

function parseParameters(parameters: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const [, key, value] = /^(\w+)=(-?\d+(?:\.\d+)?)$/.exec(parameter) ?? [];
      if (key === undefined) throw new InputError(`${JSON.stringify(parameter)}: write key=number, such as by_ms=5000`);
      return [key, Number(value)];
    }),
  );
}
