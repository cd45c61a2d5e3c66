import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { messageOf } from '../domain/errors.ts';
import { TEMPLATE_FUNCTIONS, TEMPLATE_TESTS, templateFilters, toPlain } from './template-filters.ts';
import { withTimeLimit } from './time-limit.ts';

type Minijinja = typeof import('minijinja-js');

/**
 * In ms, far beyond what an honest template needs. Renderings stand in the way of everything else; a template is checked
 * once, and a machine that is busy starting must not take it for a hostile one.
 */
const TIME_LIMIT_MS = { render: 200, check: 2_000 } as const;

/** Instructions that one rendering may take; long loops over a hundred list entries stay below a tenth of it. */
const FUEL = 5_000;
/** Largest rendering, in characters. */
const MAX_OUTPUT = 64 * 1024;
/** 32 MiB in pages of 64 KiB: one body of the largest size as `value` and `value_json`, and what is made of it. */
const MAX_MEMORY_PAGES = 512;

/** What became of a rendering; `detail` is one line for a person. `exhausted`: it cost a limit, and not only itself. */
export type Rendered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly detail: string; readonly exhausted?: true };

/** The name under which a typed rendering hands its value out. */
const KEEP = 'readback_keep';
const RESULT = 'readback_result';

const require = createRequire(import.meta.url);
// Fuel does not count what one instruction allocates ("a" * 1000000000), and the module declares no limit of its own.
// V8 reads the flag whenever a memory grows, so it holds for every WebAssembly memory of the process.
setFlagsFromString(`--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`);

/** How often a rendering is tried that the machine had no time for. */
const MAX_ATTEMPTS = 3;
/** Sources that are kept compiled; beyond it all are compiled anew as they come. */
const MAX_COMPILED = 1_000;

/**
 * minijinja in its sandbox. A template that exhausts memory, the stack or its time leaves the instance unusable; it is
 * thrown away then, and the next rendering gets a new one (3 to 6 ms).
 */
class TemplateRuntime {
  #environment: InstanceType<Minijinja['Environment']> | undefined;
  /** Source → its name in the environment. */
  readonly #compiled = new Map<string, string>();
  #failure: string | undefined;
  #kept: unknown;

  /** Undefined where the source is a template; else what is wrong with it. Constant parts are worked out already. */
  syntaxError(source: string, guarded: boolean): string | undefined {
    const checked = this.#run((environment) => {
      environment.addTemplate('checked', source);
      environment.removeTemplate('checked');
      return '';
    }, guarded && TIME_LIMIT_MS.check);
    return checked.ok ? undefined : checked.detail;
  }

  /** @param guarded whether it is broken off when it takes too long: costs a few times as much as a short rendering */
  render(source: string, variables: Readonly<Record<string, unknown>>, guarded: boolean): Rendered<string> {
    const rendered = this.#run(
      (environment) => environment.renderTemplate(this.#nameOf(source, environment), variables),
      guarded && TIME_LIMIT_MS.render,
    );
    if (rendered.ok && rendered.value.length > MAX_OUTPUT) {
      return { ok: false, detail: `the result is longer than ${MAX_OUTPUT} characters` };
    }
    return rendered;
  }

  /** The value of an expression with its type: undefined where it is undefined, null where it is none. */
  evaluate(
    prelude: string,
    expression: string,
    variables: Readonly<Record<string, unknown>>,
    guarded: boolean,
  ): Rendered<unknown> {
    // JavaScript sees both undefined and none as undefined, so the template itself says which of them it was.
    const source = `${prelude}{% set ${RESULT} = (${expression}) %}{{ ${KEEP}(${RESULT} is defined, ${RESULT}) }}`;
    this.#kept = undefined;
    const rendered = this.render(source, variables, guarded);
    return rendered.ok ? { ok: true, value: this.#kept } : rendered;
  }

  /** Compiling takes longer than rendering, and most sources come again with every message. */
  #nameOf(source: string, environment: InstanceType<Minijinja['Environment']>): string {
    const known = this.#compiled.get(source);
    if (known !== undefined) return known;
    if (this.#compiled.size >= MAX_COMPILED) {
      environment.clearTemplates();
      this.#compiled.clear();
    }
    const name = `template${this.#compiled.size}`;
    environment.addTemplate(name, source);
    this.#compiled.set(source, name);
    return name;
  }

  /** @param limitMs false: it is known to be quick */
  #run(
    work: (environment: InstanceType<Minijinja['Environment']>) => string,
    limitMs: number | false,
  ): Rendered<string> {
    this.#failure = undefined;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const environment = this.#environment ?? this.#create();
        this.#environment = environment;
        const run = () => work(environment);
        // Each attempt begins anew, so on a machine that stays busy only a longer one comes further.
        const ran = limitMs === false ? { done: true as const, result: run() } : withTimeLimit(run, attempt * limitMs);
        if (ran.done)
          return this.#failure === undefined ? { ok: true, value: ran.result } : { ok: false, detail: this.#failure };
        this.#discard();
        if (!ran.starved) return { ok: false, exhausted: true, detail: `it takes longer than ${limitMs} ms` };
        if (attempt === MAX_ATTEMPTS) return { ok: false, detail: 'the machine is too busy for it' };
      }
    } catch (error) {
      // minijinja's own errors are plain ones; anything else is a trap or an exhausted stack.
      if (Object.getPrototypeOf(error) === Error.prototype) return { ok: false, detail: firstLine(messageOf(error)) };
      this.#discard();
      return { ok: false, exhausted: true, detail: `it exhausts its limits (${messageOf(error)})` };
    }
  }

  /**
   * Lets a broken instance go. Left to the garbage collector, it would be freed by code that runs inside of it and fails
   * where nobody can catch it; `free` keeps the collector away, whatever it then runs into.
   */
  #discard(): void {
    const broken = this.#environment;
    this.#environment = undefined;
    this.#compiled.clear();
    try {
      withTimeLimit(() => broken?.free(), TIME_LIMIT_MS.render);
    } catch {
      // Its memory goes with the instance.
    }
  }

  #create(): InstanceType<Minijinja['Environment']> {
    delete require.cache[require.resolve('minijinja-js')];
    const { Environment } = require('minijinja-js') as Minijinja;
    const environment = new Environment();
    environment.enablePyCompat();
    environment.fuel = FUEL;
    environment.removeGlobal('debug');
    const fail = (detail: string) => {
      this.#failure ??= detail;
      return undefined;
    };
    for (const [name, filter] of Object.entries(templateFilters(fail))) environment.addFilter(name, filter);
    for (const [name, run] of Object.entries(TEMPLATE_FUNCTIONS)) environment.addGlobal(name, run);
    for (const [name, test] of Object.entries(TEMPLATE_TESTS)) environment.addTest(name, test);
    environment.addGlobal(KEEP, (defined: boolean, value: unknown) => {
      this.#kept = defined ? (toPlain(value) ?? null) : undefined;
      return '';
    });
    return environment;
  }
}

/** Shared by all templates: rendering is synchronous, and nothing of one rendering is left for the next. */
export const templateRuntime = new TemplateRuntime();

function firstLine(message: string): string {
  const line = message.split('\n', 1)[0] ?? '';
  return line.replace(/ \(in <?\w+>?:(\d+)\)$/, ' (line $1)');
}
