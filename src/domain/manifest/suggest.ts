import { editDistance, nearest } from '../nearest.ts';

/** Two slips, or a third of a long word: further off it is another word, and a wrong guess misleads. */
const SLIPS = 2;

/** The candidate that `word` probably means, or `null`. Upper and lower case count as equal. */
export function suggestion(word: string, candidates: readonly string[]): string | null {
  const lower = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]));
  const [best] = nearest(word.toLowerCase(), [...lower.keys()], 1);
  if (best === undefined) return null;
  const distance = editDistance(word.toLowerCase(), best);
  const near = distance <= Math.max(SLIPS, Math.floor(word.length / 3)) && distance < Math.min(word.length, best.length);
  return near ? (lower.get(best) ?? null) : null;
}

/** ` Did you mean "fast"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const found = suggestion(word, candidates);
  return found === null ? '' : ` Did you mean "${found}"?`;
}
