/** The `count` candidates closest to `word` by edit distance, nearest first. */
export function nearest(word: string, candidates: readonly string[], count: number): string[] {
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate) }));
  ranked.sort((a, b) => a.distance - b.distance);
  return ranked.slice(0, count).map(({ candidate }) => candidate);
}

/** Levenshtein distance over UTF-16 units, by rows. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
