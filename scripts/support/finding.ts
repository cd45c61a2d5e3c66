/** Something that has to hold, and what breaks it. */
export interface Finding {
  readonly name: string;
  /** How many things were looked at. */
  readonly looked: number;
  /** What breaks it, each in one line. */
  readonly violations: readonly string[];
}

/** Whether nothing breaks any of them. */
export function allHold(findings: readonly Finding[]): boolean {
  return findings.every(({ violations }) => violations.length === 0);
}

/** One line for each, and below it some of what breaks it. @param listed at most so many */
export function findingLines(findings: readonly Finding[], listed: number): string[] {
  return findings.flatMap(({ name, looked, violations }) => [
    `${violations.length === 0 ? '✓' : '✗'} ${name} (${looked})`,
    ...violations.slice(0, listed).map((violation) => `    ${violation}`),
    ...(violations.length > listed ? [`    and ${violations.length - listed} more`] : []),
  ]);
}

/** `7 passed, 0 failed`. */
export function findingTotals(findings: readonly Finding[]): string {
  const failed = findings.filter(({ violations }) => violations.length > 0).length;
  return `${findings.length - failed} passed, ${failed} failed`;
}

/** How often each word comes, the commonest first. */
export function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}

/** `verified 3, ignored 1`. */
export function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ');
}
