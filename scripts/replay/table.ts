import { styleText } from 'node:util';
import { show } from './expectations.ts';
import type { Narrator } from './replay.ts';
import type { Check, Scenario } from './scenario.ts';

/** Where a table is printed. */
export interface Terminal {
  print(line: string): void;
  /** In characters. */
  readonly width: number;
  readonly colours: boolean;
}

const TIME = 6;
const STATUS = 10;
const WHAT = 16;
const READING = "device's reading";
const NARROWEST_MESSAGE = 40;

/** Tells the replay as tables that a person can follow: one for each scenario, a row whenever the task is looked at. */
export function tableNarrator({ print, width, colours }: Terminal): Narrator {
  const paint = (style: Parameters<typeof styleText>[0], text: string) => (colours ? styleText(style, text) : text);
  let sensorsWidth = 0;
  let number = 0;

  const line = (time: string, status: string, sensors: string, message: string) => {
    const lead = `${time.padStart(TIME)}  ${status.padEnd(STATUS)}  ${sensors.padEnd(sensorsWidth)}  `;
    const [first = '', ...others] = wrap(message, Math.max(NARROWEST_MESSAGE, width - lead.length));
    return [lead + first, ...others.map((other) => ' '.repeat(lead.length) + other)];
  };

  return {
    opening({ delayMs, url }) {
      print(`Readback, replayed: devices that take ${delayMs / 1_000} s to act, over ${url}`);
    },
    heading(title, scenario) {
      number += 1;
      print('');
      print(paint('bold', `${number}. ${title}`));
      if (!scenario) return;
      print(`   ${callText(scenario)}`);
      sensorsWidth = sensorsColumn(scenario);
      for (const each of line('time', 'task', READING, 'message')) print(paint('dim', each));
    },
    row({ at_ms: atMs, status, message, sensors }) {
      const time = `${(atMs / 1_000).toFixed(1)} s`;
      for (const each of line(time, status, sensors ? show(sensors) : 'no answer', saidOf(message))) print(each);
    },
    checks(checks) {
      for (const check of checks) {
        print(
          `   ${check.passed ? paint('green', '✓') : paint('red', '✗')} ${check.what.padEnd(WHAT)} ${outcome(check)}`,
        );
      }
    },
    closing({ total_ms: totalMs, passed, failed }) {
      print('');
      const style = failed === 0 ? 'green' : 'red';
      print(`${paint(style, `${passed} passed, ${failed} failed`)} in ${(totalMs / 1_000).toFixed(1)} s`);
    },
  };
}

/** Says nothing: for `--json`, which prints its one object at the end. */
export const silentNarrator: Narrator = {
  opening() {},
  heading() {},
  row() {},
  checks() {},
  closing() {},
};

function callText({ call: { tool, arguments: args }, fault }: Scenario): string {
  const parameters = Object.entries(fault?.parameters ?? {}).map(([name, value]) => ` ${name}=${value}`);
  return `${tool} ${JSON.stringify(args)}${fault ? `   with the fault ${fault.name}${parameters.join('')}` : ''}`;
}

/** A message without the device's name, which begins each of them and would be the same in every row. */
function saidOf(message: string): string {
  return message.replace(/^[^:;]+: /, '');
}

/** Wide enough for anything these sensors can say: the longest word a device has is "MIDDLE". */
function sensorsColumn({ sensors }: Scenario): number {
  const widest = show(Object.fromEntries(sensors.map((name) => [name, 'MIDDLE'])));
  return Math.max(widest.length, READING.length);
}

function outcome({ passed, found, expected }: Check): string {
  return passed ? found : `${found}; expected: ${expected}`;
}

/** A text in lines of at most `width` characters, broken between words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
