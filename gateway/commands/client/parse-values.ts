import * as z from 'zod';
import { StartError } from '../../domain/errors.ts';

const json = z.json();
type Json = z.output<typeof json>;

/**
 * `field=value` words of a command line as the arguments of a tool.
 * @throws StartError for a word that is no such pair
 */
export function parseValues(words: readonly string[]): Record<string, Json> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined) {
        throw new StartError(`"${word}" is no field=value pair: write it as target_temperature=26`, 2);
      }
      return [name, parseValue(value)];
    }),
  );
}

/** What looks like a number, a truth value, a list or an object is one; everything else is text. */
function parseValue(text: string): Json {
  if (!/^(-?\d+(\.\d+)?(e[+-]?\d+)?|true|false|null|[[{"].*)$/is.test(text)) return text;
  try {
    return json.parse(JSON.parse(text));
  } catch {
    return text;
  }
}
