import * as z from 'zod';

const commandSchema = z.object({ id: z.string(), outcome: z.string().nullable(), phase: z.string() });

/** The page's API of a gateway on this machine that asks nobody for a token. */
export class GatewayApi {
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Has a simulated device misbehave with its next command. */
  async arm(device: string, fault: string): Promise<void> {
    await this.#post(`/api/simulator/${device}`, { arm: fault, once: true });
  }

  /** Gives a command. @returns its id */
  async command(device: string, set: Readonly<Record<string, string | number>>): Promise<string> {
    return commandSchema.parse(await this.#post('/api/commands', { device, set })).id;
  }

  /** Gives a command and waits until it has ended. @returns its id */
  async ended(device: string, set: Readonly<Record<string, string | number>>): Promise<string> {
    const id = await this.command(device, set);
    const events = await fetch(`${this.#origin}/api/events`, { headers: { accept: 'text/event-stream' } });
    const decoder = new TextDecoder();
    let text = '';
    // The stream begins with how things stand, so an end that came before it is not missed.
    for await (const chunk of events.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (hasEnded(text, id)) return id;
    }
    throw new Error(`the stream of events ended before the command ${id}`);
  }

  async #post(path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${this.#origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

const eventSchema = z.object({
  command: commandSchema.optional(),
  commands: z.array(commandSchema).optional(),
});

function hasEnded(stream: string, id: string): boolean {
  const whole = stream.slice(0, stream.lastIndexOf('\n\n') + 1).split('\n');
  return whole
    .filter((line) => line.startsWith('data: '))
    .map((line) => eventSchema.parse(JSON.parse(line.slice('data: '.length))))
    .flatMap(({ command, commands = [] }) => (command ? [command] : commands))
    .some((command) => command.id === id && command.outcome !== null);
}
