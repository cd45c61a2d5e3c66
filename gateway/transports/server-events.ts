/** One event of a stream. */
export interface ServerEvent {
  /** `message` where the stream gives no name. */
  readonly name: string;
  /** null: more than is taken. */
  readonly data: string | null;
}

/** Largest event whose data is handed on, and longest line, in characters: states are small. */
const EVENT_MAX = 64 * 1024;

/**
 * Reads a `text/event-stream` as it comes in, however it is cut; it never holds more than two events' worth of it. Of a
 * larger event only the name is told. `id` is not looked at: a stream that is asked to go on where it broke off tells what was
 * once, and a reading has to be what is. Nor is `retry`, since when to come back is for the one who waits.
 */
export class ServerEventReader {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come yet. */
  #rest = '';
  #afterReturn = false;
  #name = '';
  #data: string[] = [];
  #size = 0;
  #tooLarge = false;

  /** @returns the events that are complete with this chunk */
  read(chunk: Uint8Array): ServerEvent[] {
    const lines = this.#lines(this.#decoder.decode(chunk, { stream: true }));
    return lines.flatMap((line) => (line === '' ? this.#complete() : this.#take(line)));
  }

  /** Lines end with LF, CR or both, and the two may come apart. */
  #lines(text: string): string[] {
    if (text === '') return [];
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    const lines = (this.#rest + rest).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > EVENT_MAX) {
      this.#tooLarge = true;
      // Enough of it stays to know that the line is not over.
      this.#rest = ':';
    }
    return lines;
  }

  #take(line: string): [] {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    if (field !== 'data' || this.#tooLarge) return [];
    this.#size += value.length;
    this.#tooLarge = this.#size > EVENT_MAX;
    if (this.#tooLarge) this.#data = [];
    else this.#data.push(value);
    return [];
  }

  #complete(): ServerEvent[] {
    const event = { name: this.#name || 'message', data: this.#tooLarge ? null : this.#data.join('\n') };
    const isEvent = this.#data.length > 0 || this.#tooLarge;
    this.#name = '';
    this.#data = [];
    this.#size = 0;
    this.#tooLarge = false;
    return isEvent ? [event] : [];
  }
}
