/** One measured figure, and what it should be. Targets are told, never enforced: a machine may be busy. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly unit: 'ms' | 'bytes' | 'reads' | 'messages' | 'commands' | 'times' | 'per second';
  readonly target?: { readonly at: 'most' | 'least'; readonly value: number };
}

/** Whether a figure is as good as its target; null where it has none. */
export function met({ value, target }: Figure): boolean | null {
  if (!target) return null;
  return target.at === 'most' ? value <= target.value : value >= target.value;
}

/** The value below which this part of the samples lies: 0.5 is the median. NaN where there is none. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The figures as an aligned table. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [figure.title, show(figure), targetText(figure), verdictText(figure)]);
  const all = [['figure', 'measured', 'target', ''], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map(([title = '', value = '', target = '', verdict = '']) =>
      [title.padEnd(widths[0] ?? 0), value.padStart(widths[1] ?? 0), target.padEnd(widths[2] ?? 0), verdict].join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

function show({ value, unit }: Figure): string {
  return `${number(value, unit)} ${unit}`;
}

function targetText({ target, unit }: Figure): string {
  return target ? `at ${target.at} ${number(target.value, unit)}` : '';
}

function verdictText(figure: Figure): string {
  const good = met(figure);
  if (good === null) return '';
  return good ? 'met' : 'missed';
}

function number(value: number, unit: Figure['unit']): string {
  const fine = (unit === 'ms' && value < 100) || unit === 'times';
  const digits = fine && !Number.isInteger(value) ? (unit === 'times' ? 2 : 1) : 0;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
