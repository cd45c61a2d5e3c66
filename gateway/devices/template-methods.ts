/**
 * Python methods that minijinja does not have, as filters of the same meaning: `d.get(k, fallback)` and `l.index(x)`.
 * A filter cannot be followed by `.` or `[`, so there the call is left alone and fails when it is rendered.
 */
export function rewriteMethods(source: string): string {
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
      const call = methodCall(source, index);
      if (!call) continue;
      result += `${source.slice(end, index)} | readback_${call.name}`;
      end = index + call.length;
      index = end - 1;
    }
  }
  return result + source.slice(end);
}

/** The method's name, and the number of characters from the dot up to the bracket. */
function methodCall(source: string, dot: number): { name: string; length: number } | undefined {
  const match = /^\.\s*(get|index)\s*(?=\()/.exec(source.slice(dot, dot + 20));
  const name = match?.[1];
  if (!match || name === undefined) return undefined;
  const open = dot + match[0].length;
  const { close, commas } = callArguments(source, open);
  if (close < 0 || (name === 'get' && commas === 0)) return undefined;
  return /^\s*[.[]/.test(source.slice(close + 1)) && !methodCall(source, close + 1)
    ? undefined
    : { name, length: match[0].length };
}

/** Where the brackets close again (-1: never), and how many commas separate the arguments. */
function callArguments(source: string, open: number): { close: number; commas: number } {
  let depth = 0;
  let commas = 0;
  for (let index = open; index < source.length; index++) {
    const char = source.charAt(index);
    if (isQuote(char)) index = endOfString(source, index);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) {
      depth--;
      if (depth === 0) return { close: index, commas };
    } else if (char === ',' && depth === 1) commas++;
  }
  return { close: -1, commas };
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
