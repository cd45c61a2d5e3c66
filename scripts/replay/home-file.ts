import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shippedPath } from '../../gateway/config/shipped.ts';
import { PROMISED_DELAY_MS } from './scenarios.ts';

/**
 * The configuration to replay on: the demo home as it is shipped, or, where the devices do not take the four seconds
 * that it is made for, a copy with the times of its verification scaled alike.
 * @param folder where a copy goes
 */
export async function homeFor(delayMs: number, folder: string): Promise<string> {
  const shipped = shippedPath('demo.yaml');
  if (delayMs === PROMISED_DELAY_MS) return shipped;
  const path = join(folder, 'home.yaml');
  await writeFile(path, scaleVerify(await readFile(shipped, 'utf8'), delayMs / PROMISED_DELAY_MS));
  return path;
}

/** Multiplies the durations in the lines `poll:` and `deadline:`. */
export function scaleVerify(yaml: string, factor: number): string {
  return yaml.replaceAll(/^ +(?:poll|deadline): .*$/gm, (line) =>
    line.replaceAll(/(\d+(?:\.\d+)?)(ms|s)\b/g, (_, number: string, unit: string) => {
      const ms = Number(number) * (unit === 's' ? 1_000 : 1);
      return `${Math.max(1, Math.round(ms * factor))}ms`;
    }),
  );
}
