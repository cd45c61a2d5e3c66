type Variables = Readonly<Record<string, unknown>>;

/**
 * What a template can see of what it is given, judged by its words alone: handing values over to the template engine costs
 * more than most templates do. A variable that it never names is left out; of a decoded payload whose members it
 * names one by one, the others are. Where there is any doubt, everything stays.
 * @param code of the template, as the engine gets it
 */
export function needsOf(code: string): (variables: Variables) => Variables {
  const words = new Set(code.match(/\w+/g));
  const members = membersOf(code);
  return (variables) => {
    const needed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(variables)) {
      if (/^\w+$/.test(name) && !words.has(name)) continue;
      needed[name] = name === 'value_json' && members && isPlainObject(value) ? only(value, members) : value;
    }
    return needed;
  };
}

/** The members of `value_json` that are named; undefined where it is used in any other way than `.member` or `is defined`. */
function membersOf(code: string): readonly string[] | undefined {
  const members = new Set<string>();
  for (const { index } of code.matchAll(/value_json/g)) {
    const rest = code.slice(index + 'value_json'.length);
    if (/^\s+is\s+(?:not\s+)?defined(?![\w\u0080-\uffff])/.test(rest)) continue;
    // What follows a member may be a call, and then it is a method.
    const [, member] = /^\.([a-z_]\w*)(?![\w\u0080-\uffff]|\s*\()/i.exec(rest) ?? [];
    if (member === undefined) return undefined;
    members.add(member);
  }
  return [...members];
}

function only(value: Variables, members: readonly string[]): Variables {
  return Object.fromEntries(
    members.filter((member) => Object.hasOwn(value, member)).map((member) => [member, value[member]]),
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
