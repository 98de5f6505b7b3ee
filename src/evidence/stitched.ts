import type { Span } from '../domain/document.ts';
import { type EvidenceIndex, lowerCaseOf } from './evidence-index.ts';
import { squeeze } from './match/match-form.ts';
import { occurrencesOf } from './match/occurrences.ts';

const MOST_PARTS = 4;
const SHORTEST_PART = { words: 4, characters: 16 };
/** Parts nearer to each other, in order, are one passage with a word left out. */
const NEAR = 40;
const LONGEST_QUOTE = 4_000;

/**
 * The places of a quote that is glued, without an ellipsis, from passages that stand apart or in another order: up to four of at least
 * four words, each there but for case and layout. `null` when it is none. A miss costs one search.
 */
export function stitchedParts(index: EvidenceIndex, cleaned: string): Span[] | null {
  const wording = cleaned.slice(0, LONGEST_QUOTE);
  const form = squeeze(wording, null);
  const quote = lowerCaseOf(form.text);
  const ends = wordEnds(wording, form.map);
  const parts: Span[] = [];
  let from = 0;
  let reached = 0;
  while (from < ends.length && parts.length < MOST_PARTS) {
    const start = from === 0 ? 0 : (ends[from - 1] ?? 0);
    const found = longestFrom(index.lowerCase(), quote, start, ends, from);
    if (found === null) return null;
    const at = closeBy(index.lowerCase(), quote.slice(start, start + found.length), reached) ?? found.at;
    reached = at + found.length;
    parts.push({ start: index.form.map[at] ?? 0, end: (index.form.map[reached - 1] ?? 0) + 1 });
    from = found.next;
  }
  return from < ends.length || parts.length < 2 || !standApart(parts) ? null : parts;
}

/** Offsets in the match form where the words of the quote end. */
function wordEnds(wording: string, map: Int32Array): number[] {
  const ends: number[] = [];
  for (let k = 1; k <= map.length; k += 1) {
    const [last, next] = [map[k - 1] ?? 0, map[k] ?? wording.length];
    if (k === map.length || /\s/.test(wording.slice(last + 1, next))) ends.push(k);
  }
  return ends;
}

type Stretch = { readonly at: number; readonly length: number; readonly next: number };

/** The longest stretch from word `from` on that the document has; found by halving, because what has a stretch has its beginning. */
function longestFrom(document: string, quote: string, start: number, ends: readonly number[], from: number): Stretch | null {
  const rest = ends.length - from;
  const stretch = (words: number): Stretch | null => {
    const end = ends[from + words - 1] ?? quote.length;
    const at = occurrencesOf(document, quote.slice(start, end), 1)[0];
    return at === undefined ? null : { at, length: end - start, next: from + words };
  };
  let [low, high] = [Math.min(SHORTEST_PART.words, rest), rest];
  let best = stretch(low);
  while (best !== null && low < high) {
    const middle = (low + high + 1) >> 1;
    const longer = stretch(middle);
    if (longer === null) high = middle - 1;
    else [best, low] = [longer, middle];
  }
  return best === null || best.length < SHORTEST_PART.characters ? null : best;
}

/** Where the stretch stands right behind the part before it; `null` when it does not. */
function closeBy(document: string, stretch: string, reached: number): number | null {
  const at = document.slice(reached, reached + NEAR + stretch.length).indexOf(stretch);
  return at === -1 ? null : reached + at;
}

function standApart(parts: readonly Span[]): boolean {
  return parts.some((part, i) => {
    const previous = parts[i - 1];
    return previous !== undefined && (part.start < previous.end || part.start - previous.end > NEAR);
  });
}
