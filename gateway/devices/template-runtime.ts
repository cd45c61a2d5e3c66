import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { messageOf } from '../domain/errors.ts';
import { TEMPLATE_FUNCTIONS, TEMPLATE_TESTS, templateFilters, toPlain } from './template-filters.ts';

type Minijinja = typeof import('minijinja-js');

/** Instructions that one rendering may take; long loops over a hundred list entries stay below a tenth of it. */
const FUEL = 5_000;
/** Largest rendering, in characters. */
const MAX_OUTPUT = 64 * 1024;
/** 32 MiB in pages of 64 KiB: one body of the largest size as `value` and `value_json`, and what is made of it. */
const MAX_MEMORY_PAGES = 512;

/** What became of a rendering; `detail` is one line for a person. */
export type Rendered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** The name under which a typed rendering hands its value out. */
const KEEP = 'readback_keep';
const RESULT = 'readback_result';

const require = createRequire(import.meta.url);
// Fuel does not count what one instruction allocates ("a" * 1000000000), and the module declares no limit of its own.
// V8 reads the flag whenever a memory grows, so it holds for every WebAssembly memory of the process.
setFlagsFromString(`--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`);

/**
 * minijinja in its sandbox. A template that exhausts memory or the stack traps inside WebAssembly and leaves the
 * instance unusable; it is thrown away then, and the next rendering gets a new one (3 to 6 ms).
 */
class TemplateRuntime {
  #environment: InstanceType<Minijinja['Environment']> | undefined;
  #failure: string | undefined;
  #kept: unknown;

  /** Undefined where the source is a template; else what is wrong with it. */
  syntaxError(source: string): string | undefined {
    const checked = this.#run((environment) => {
      environment.addTemplate('checked', source);
      environment.removeTemplate('checked');
      return '';
    });
    return checked.ok ? undefined : checked.detail;
  }

  render(source: string, variables: Readonly<Record<string, unknown>>): Rendered<string> {
    const rendered = this.#run((environment) => environment.renderStr(source, variables));
    if (rendered.ok && rendered.value.length > MAX_OUTPUT) {
      return { ok: false, detail: `the result is longer than ${MAX_OUTPUT} characters` };
    }
    return rendered;
  }

  /** The value of an expression with its type: undefined where it is undefined, null where it is none. */
  evaluate(prelude: string, expression: string, variables: Readonly<Record<string, unknown>>): Rendered<unknown> {
    // JavaScript sees both undefined and none as undefined, so the template itself says which of them it was.
    const source = `${prelude}{% set ${RESULT} = (${expression}) %}{{ ${KEEP}(${RESULT} is defined, ${RESULT}) }}`;
    this.#kept = undefined;
    const rendered = this.render(source, variables);
    return rendered.ok ? { ok: true, value: this.#kept } : rendered;
  }

  #run(work: (environment: InstanceType<Minijinja['Environment']>) => string): Rendered<string> {
    this.#failure = undefined;
    try {
      this.#environment ??= this.#create();
      const text = work(this.#environment);
      return this.#failure === undefined ? { ok: true, value: text } : { ok: false, detail: this.#failure };
    } catch (error) {
      // minijinja's own errors are plain ones; anything else is a trap or an exhausted stack.
      if (Object.getPrototypeOf(error) === Error.prototype) return { ok: false, detail: firstLine(messageOf(error)) };
      this.#environment = undefined;
      return { ok: false, detail: `the template exhausts its limits (${messageOf(error)})` };
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
