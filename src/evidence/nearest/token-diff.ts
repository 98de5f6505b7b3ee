import { isProtected } from '../words.ts';
import type { Token } from './tokens.ts';

/** A token of the document and the token of the quote in its place; one of the two may be missing. */
type Pair = { readonly document: Token | null; readonly quote: Token | null };

export type Comparison = {
  /** 0 to 1: share of the letters that both have, over the quote and the part of the document that it is laid on. */
  readonly similarity: number;
  /** Differences that can change the claim, the document's words first: `1023 → 1032`. `null` when there are none. */
  readonly diff: string | null;
  /** Offsets of that part in the document's text. */
  readonly start: number;
  readonly end: number;
};

const MOST_HUNKS = 3;
const LONGEST_SIDE = 60;

/** Lays the quote's tokens on the best part of the document's. `null` when they share nothing. */
export function compareTokens(document: readonly Token[], quote: readonly Token[]): Comparison | null {
  const pairs = alignment(document, quote);
  const laidOn = pairs.flatMap((pair) => (pair.document === null ? [] : [pair.document]));
  const first = laidOn[0];
  const last = laidOn.at(-1);
  if (first === undefined || last === undefined) return null;
  return { similarity: similarityOf(pairs), diff: protectedDiff(pairs), start: first.start, end: last.end };
}

/**
 * Semi-global alignment with unit costs: all of the quote, any part of the document. `costs[q * width + d]` is the cost of laying
 * the first q tokens of the quote so that it ends before the document's token d.
 */
function alignment(document: readonly Token[], quote: readonly Token[]): Pair[] {
  const width = document.length + 1;
  const costs = new Uint16Array(width * (quote.length + 1));
  for (let q = 1; q <= quote.length; q += 1) {
    costs[q * width] = q;
    for (let d = 1; d < width; d += 1) {
      const isSame = quote[q - 1]?.key === document[d - 1]?.key;
      const replaced = at(costs, (q - 1) * width + d - 1) + (isSame ? 0 : 1);
      const added = at(costs, (q - 1) * width + d) + 1;
      const dropped = at(costs, q * width + d - 1) + 1;
      costs[q * width + d] = Math.min(replaced, added, dropped);
    }
  }
  return walkBack(costs, width, document, quote);
}

function walkBack(costs: Uint16Array, width: number, document: readonly Token[], quote: readonly Token[]): Pair[] {
  const pairs: Pair[] = [];
  let q = quote.length;
  let d = cheapestEnd(costs, q * width, width);
  while (q > 0) {
    const cost = at(costs, q * width + d);
    const theirs = d > 0 ? (document[d - 1] ?? null) : null;
    const ours = quote[q - 1] ?? null;
    const step = theirs?.key === ours?.key ? 0 : 1;
    if (theirs !== null && cost === at(costs, (q - 1) * width + d - 1) + step) {
      pairs.push({ document: theirs, quote: ours });
      q -= 1;
      d -= 1;
    } else if (theirs !== null && cost === at(costs, q * width + d - 1) + 1) {
      pairs.push({ document: theirs, quote: null });
      d -= 1;
    } else {
      pairs.push({ document: null, quote: ours });
      q -= 1;
    }
  }
  return pairs.reverse();
}

/** The first cheapest end; one further when that costs the same, so that a changed last token stands beside what it replaces. */
function cheapestEnd(costs: Uint16Array, row: number, width: number): number {
  let best = 0;
  for (let d = 1; d < width; d += 1) {
    const difference = at(costs, row + d) - at(costs, row + best);
    if (difference < 0 || (difference === 0 && d === best + 1)) best = d;
  }
  return best;
}

function at(costs: Uint16Array, index: number): number {
  return costs[index] ?? 0;
}

function isSamePair(pair: Pair): boolean {
  return pair.document?.key === pair.quote?.key;
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

function protectedDiff(pairs: readonly Pair[]): string | null {
  const hunks = differingRuns(pairs).filter(([start, end]) => pairs.slice(start, end).some(isProtectedPair));
  if (hunks.length === 0) return null;
  const shown = hunks.slice(0, MOST_HUNKS).map(([start, end]) => describe(pairs, start, end));
  return hunks.length > MOST_HUNKS ? `${shown.join('; ')}; …` : shown.join('; ');
}

function isProtectedPair({ document, quote }: Pair): boolean {
  return [document, quote].some((token) => token !== null && isProtected(token.raw));
}

/** `[start, end)` of the runs of pairs that differ. */
function differingRuns(pairs: readonly Pair[]): [number, number][] {
  const runs: [number, number][] = [];
  pairs.forEach((pair, index) => {
    if (isSamePair(pair)) return;
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index) last[1] = index + 1;
    else runs.push([index, index + 1]);
  });
  return runs;
}

/** A word that only one side has is shown with the word before it: `MUST NOT → MUST`. */
function describe(pairs: readonly Pair[], start: number, end: number): string {
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
