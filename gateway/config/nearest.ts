/** How many single-letter edits (insert, delete, replace, swap of neighbours) lie between two words. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (rows[i - 1]?.[j - 1] ?? 0) + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}

/** The allowed word that was probably meant, or undefined where none is near. */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = allowed
    .map((candidate) => ({ candidate, edits: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** What to write instead of a wrong word: `did you mean "apply"? requests are: apply, status`. */
export function suggest(word: string, allowed: readonly string[], plural: string): string {
  const guess = nearest(word, allowed);
  const list = allowed.length > 0 ? `${plural} are: ${allowed.join(', ')}` : `no ${plural} are described`;
  return guess === undefined ? list : `did you mean "${guess}"? ${list}`;
}
