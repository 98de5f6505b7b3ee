/** Word-level F1 of two texts: the harmonic mean of the shares of words, counted as often as they occur, that each has of the other. */
export function wordF1(one: string, other: string): number {
  const [mine, theirs] = [counts(one), counts(other)];
  let shared = 0;
  for (const [word, count] of mine.words) shared += Math.min(count, theirs.words.get(word) ?? 0);
  return (2 * shared) / Math.max(1, mine.total + theirs.total);
}

function counts(text: string): { readonly words: ReadonlyMap<string, number>; readonly total: number } {
  const words = new Map<string, number>();
  const all = text.split(/\s+/).filter((word) => word !== '');
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1);
  return { words, total: all.length };
}
