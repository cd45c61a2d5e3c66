/**
 * Python methods that minijinja does not have, as filters of the same meaning: `d.get(k, fallback)` and `l.index(x)`.
 * A filter cannot be followed by `.` or `[`, so there the call is left alone and fails when it is rendered.
 */
export function rewriteMethods(source: string): string {
  const calls = new Calls(source);
  let result = '';
  let end = 0;
  let inTag = false;
  for (let index = 0; index < source.length; index++) {
    const two = source.slice(index, index + 2);
    if (!inTag) {
      if (two === '{#') index = Math.max(index, (source.indexOf('#}', index) + 1 || source.length) - 1);
      else if (two === '{{' || two === '{%') inTag = true;
      continue;
    }
    if (two === '}}' || two === '%}') inTag = false;
    else if (isQuote(source.charAt(index))) index = endOfString(source, index);
    else if (source.charAt(index) === '.') {
      const call = calls.at(index);
      if (!call) continue;
      result += `${source.slice(end, index)} | readback_${call.name}`;
      end = call.open;
      index = end - 1;
    }
  }
  return result + source.slice(end);
}

interface Call {
  readonly name: string;
  /** Where its bracket opens. */
  readonly open: number;
}

interface Brackets {
  readonly close: number;
  readonly commas: number;
}

const CALL = /\.[ \t]*(get|index)[ \t]*(?=\()/y;
const NEXT = /\s*([.[])?/y;

/** The calls of one source. Each bracket is looked at once, however deep or long the source is: it may be hostile. */
class Calls {
  readonly #source: string;
  readonly #brackets = new Map<number, Brackets>();
  readonly #known = new Map<number, Call | undefined>();
  /** Up to where brackets have been matched. */
  #matched = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** The call whose dot stands at this index, where it can be rewritten. */
  at(dot: number): Call | undefined {
    // A call is rewritten only if the one chained to it is: found from the end of the chain, without recursion.
    const chain: { dot: number; call: Call | undefined; next: number | undefined }[] = [];
    for (let at: number | undefined = dot; at !== undefined && !this.#known.has(at); ) {
      const link = this.#link(at);
      chain.push({ dot: at, ...link });
      at = link.next;
    }
    for (const { dot: at, call, next } of chain.reverse()) {
      const isStuck = next !== undefined && this.#known.get(next) === undefined;
      this.#known.set(at, isStuck ? undefined : call);
    }
    return this.#known.get(dot);
  }

  /** A call by itself, and where another dot or bracket follows it. */
  #link(dot: number): { call: Call | undefined; next: number | undefined } {
    CALL.lastIndex = dot;
    const match = CALL.exec(this.#source);
    const name = match?.[1];
    if (!match || name === undefined) return { call: undefined, next: undefined };
    const open = dot + match[0].length;
    if (open >= this.#matched) this.#match(open);
    const brackets = this.#brackets.get(open);
    if (!brackets || (name === 'get' && brackets.commas === 0)) return { call: undefined, next: undefined };
    NEXT.lastIndex = brackets.close + 1;
    const follows = NEXT.exec(this.#source)?.[1] !== undefined;
    return { call: { name, open }, next: follows ? NEXT.lastIndex - 1 : undefined };
  }

  /** Matches brackets from here to where the first of them closes, or to the end. */
  #match(from: number): void {
    const open: { at: number; commas: number }[] = [];
    let index = from;
    for (; index < this.#source.length; index++) {
      const char = this.#source.charAt(index);
      const innermost = open.at(-1);
      if (isQuote(char)) index = endOfString(this.#source, index);
      else if ('([{'.includes(char)) open.push({ at: index, commas: 0 });
      else if (char === ',' && innermost) innermost.commas += 1;
      else if (')]}'.includes(char) && innermost) {
        open.pop();
        this.#brackets.set(innermost.at, { close: index, commas: innermost.commas });
        if (open.length === 0) break;
      }
    }
    this.#matched = index;
  }
}

export function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}

/** The index of the closing quote, or the last index of a string that never ends. */
export function endOfString(source: string, open: number): number {
  const quote = source.charAt(open);
  for (let index = open + 1; index < source.length; index++) {
    if (source.charAt(index) === '\\') index++;
    else if (source.charAt(index) === quote) return index;
  }
  return source.length - 1;
}
