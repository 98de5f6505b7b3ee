import type { Span } from '../domain/document.ts';
import { SPACELESS_CLASS } from './words.ts';

/** "...", "…", "[...]", "(…)", ". . .": what a quoter writes for words left out. */
const ELLIPSIS = /(?:\[\s{0,3}(?:\.{3,}|\u2026|\. \. \.)\s{0,3}\]|\(\s{0,3}(?:\.{3,}|\u2026)\s{0,3}\)|\u2026|\.{3,}|\. \. \.(?: \.)?)/gu;
/** More parts are no quote. */
export const MOST_PARTS = 12;
const SHORTEST_PART = { words: 3, spaceless: 6 };
const SPACELESS = new RegExp(SPACELESS_CLASS, 'gu');

/** The quote's parts between its ellipses; at most one more than `MOST_PARTS`. */
export function partsOf(cleaned: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of cleaned.matchAll(ELLIPSIS)) {
    parts.push(cleaned.slice(from, match.index).trim());
    from = match.index + match[0].length;
    if (parts.length > MOST_PARTS) return parts;
  }
  return [...parts, cleaned.slice(from).trim()].filter((part) => part !== '');
}

/** Whether a part says enough to be looked up alone: three words, or six characters of a script without spaces. */
export function isLongEnough(part: string): boolean {
  const words = part.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return words.length >= SHORTEST_PART.words || (part.match(SPACELESS)?.length ?? 0) >= SHORTEST_PART.spaceless;
}

/**
 * One place of each part, in order and without overlap, for each place that the last part has: of the others the one nearest before it.
 * `places[i]` are those of part i, ascending. Linear in all places.
 */
export function chainsOf<T extends Span>(places: readonly (readonly T[])[]): T[][] {
  const [first = [], ...others] = places;
  let chains: T[][] = first.map((place) => [place]);
  for (const next of others) {
    const longer: T[][] = [];
    let reached = -1;
    for (const place of next) {
      while ((chains[reached + 1]?.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= place.start) reached += 1;
      const chain = chains[reached];
      if (chain !== undefined) longer.push([...chain, place]);
    }
    chains = longer;
  }
  return chains;
}
