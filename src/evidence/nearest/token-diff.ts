import { isMixedCase, isProtected } from '../words.ts';
import { alignment, type Pair } from './alignment.ts';
import { isMisspelling } from './misspelling.ts';
import { isSameFlat } from './number-format.ts';
import type { Token } from './tokens.ts';

/** A text and its tokens. */
export type Tokenised = { readonly text: string; readonly tokens: readonly Token[] };

export type Comparison = {
  /** 0 to 1: share of the letters that both have, over the quote and the part of the document that it is laid on. */
  readonly similarity: number;
  /** `altered`: something differs that can change the claim. `near`: nothing but words that look misspelt. */
  readonly kind: 'altered' | 'reworded' | 'near';
  /** What differs, the document's words first: `1023 → 1032`; of `altered` what can change the claim. `null` when there are none. */
  readonly diff: string | null;
  /** Offsets of that part in the document's text. */
  readonly start: number;
  readonly end: number;
};

const MOST_HUNKS = 3;
const LONGEST_SIDE = 60;
/** Less of a quote than this is more than misspelt. */
const NEAR = 0.9;

/**
 * Lays the quote's tokens on the best part of the document's. `null` when they share nothing. `isKnown`: whether the document has a word
 * elsewhere, so that it is no misspelling.
 */
export function compareTokens(document: Tokenised, quote: Tokenised, isKnown: (word: string) => boolean): Comparison | null {
  const pairs = alignment(document.tokens, quote.tokens);
  const laidOn = pairs.flatMap((pair) => (pair.document === null ? [] : [pair.document]));
  const first = laidOn[0];
  const last = laidOn.at(-1);
  if (first === undefined || last === undefined) return null;
  const similarity = similarityOf(pairs);
  const hunks = differingRuns(pairs);
  const altered = hunks.filter(([start, end]) => pairs.slice(start, end).some((pair) => isProtectedPair(pair, document.text)));
  const isNear = hunks.length > 0 && similarity >= NEAR && pairs.every((pair) => isSamePair(pair) || isNearPair(pair, isKnown));
  const kind = altered.length > 0 ? 'altered' : isNear ? 'near' : 'reworded';
  const shown = altered.length > 0 ? altered : hunks;
  return { similarity, kind, diff: diffOf(shown, pairs, document.text, quote.text), start: first.start, end: last.end };
}

function isSamePair(pair: Pair): boolean {
  return pair.document?.key === pair.quote?.key;
}

function isNearPair({ document, quote }: Pair, isKnown: (word: string) => boolean): boolean {
  return document !== null && quote !== null && isMisspelling(document.raw, quote.raw) && !isKnown(quote.raw);
}

function isProtectedPair({ document, quote }: Pair, text: string): boolean {
  if (document !== null && quote !== null && isName(document, text) && /^\p{Lu}/u.test(quote.raw)) return true;
  return [document, quote].some((token) => token !== null && (isProtected(token.raw) || isMixedCase(token.raw)));
}

/** A capital inside a sentence. */
function isName(token: Token, text: string): boolean {
  return (
    /^\p{Lu}/u.test(token.raw) &&
    !/(?:^|[.:!?]["'\u2019\u201d)]*\s*|\n)["'\u2018\u201c(]*$/.test(text.slice(Math.max(0, token.start - 12), token.start))
  );
}

function similarityOf(pairs: readonly Pair[]): number {
  let shared = 0;
  let total = 0;
  for (const { document, quote } of pairs) {
    const lengths = [document?.key.length ?? 0, quote?.key.length ?? 0];
    total += Math.max(...lengths);
    shared += document === null || quote === null ? 0 : sharedLetters(document.key, quote.key);
  }
  return total === 0 ? 0 : shared / total;
}

/** Letters that two words share at both ends, if they are most of the longer one: "systms" is nearly "systems". */
function sharedLetters(a: string, b: string): number {
  if (a === b) return a.length;
  const shorter = Math.min(a.length, b.length);
  let left = 0;
  while (left < shorter && a[left] === b[left]) left += 1;
  let right = 0;
  while (right < shorter - left && a.at(-1 - right) === b.at(-1 - right)) right += 1;
  return (left + right) * 2 >= Math.max(a.length, b.length) ? left + right : 0;
}

type Run = readonly [start: number, end: number];

/** `[start, end)` of the runs of pairs that differ. */
function differingRuns(pairs: readonly Pair[]): Run[] {
  const runs: [number, number][] = [];
  pairs.forEach((pair, index) => {
    if (isSamePair(pair)) return;
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index) last[1] = index + 1;
    else runs.push([index, index + 1]);
  });
  return runs;
}

function diffOf(runs: readonly Run[], pairs: readonly Pair[], document: string, quote: string): string | null {
  if (runs.length === 0) return null;
  const shown = runs.slice(0, MOST_HUNKS).map((run) => isSameFlat(document, quote, pairs, run) ?? describe(pairs, run));
  return runs.length > MOST_HUNKS ? `${shown.join('; ')}; …` : shown.join('; ');
}

/** A word that only one side has is shown with the word before it: `MUST NOT → MUST`. */
function describe(pairs: readonly Pair[], [start, end]: Run): string {
  const run = pairs.slice(start, end);
  const isOneSided = run.every((pair) => pair.document === null) || run.every((pair) => pair.quote === null);
  const shown = isOneSided ? (start > 0 ? pairs.slice(start - 1, end) : pairs.slice(start, end + 1)) : run;
  return `${side(shown.map((pair) => pair.document))} → ${side(shown.map((pair) => pair.quote))}`;
}

function side(tokens: readonly (Token | null)[]): string {
  const text = tokens.flatMap((token) => (token === null ? [] : [token.raw.replace(/\s+/g, '')])).join(' ');
  const characters = Array.from(text);
  return characters.length > LONGEST_SIDE ? `${characters.slice(0, LONGEST_SIDE).join('')}…` : text;
}
