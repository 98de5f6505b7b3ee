import { formSlice, gapBefore, hasHyphen, isWordGap, lettersLeft, lettersRight, type Side } from '../match/aligned.ts';
import { MINUS_SIGN } from '../match/characters.ts';
import { NEGATING_PREFIXES, NEGATORS } from '../words.ts';

/** What the document says, and what the quote makes of it. */
export type Difference = { readonly document: string; readonly quote: string };

/**
 * The match form has no white space and no hyphens, so "not able" equals "notable" and "VDD − VSS" may equal "VDD VSS". Returns
 * the first such place where the difference changes the meaning, `null` when there is none.
 */
export function joinedDifference(document: Side, quote: Side, length: number): Difference | null {
  for (let k = 1; k < length; k += 1) {
    const inDocument = gapBefore(document, k);
    const inQuote = gapBefore(quote, k);
    if (inDocument === inQuote) continue;
    const isLostMinus = losesMinus(inDocument, inQuote) || losesMinus(inQuote, inDocument);
    if (isLostMinus || changesWord(document, quote, k, length)) return difference(document, quote, k, length);
  }
  return null;
}

function losesMinus(from: string, to: string): boolean {
  return from.includes(MINUS_SIGN) && !hasHyphen(to);
}

function changesWord(document: Side, quote: Side, k: number, length: number): boolean {
  const isSplitInDocument = isWordGap(gapBefore(document, k));
  if (isSplitInDocument === isWordGap(gapBefore(quote, k))) return false;
  const [split, joined] = isSplitInDocument ? [document, quote] : [quote, document];
  if (hasHyphen(gapBefore(joined, k))) return false;
  const start = lettersLeft(split, k);
  const end = lettersRight(split, k, length);
  if (start !== lettersLeft(joined, k) || end !== lettersRight(joined, k, length)) return false;
  return isNegationAtStake(formSlice(split, start, k).toLowerCase(), formSlice(split, k, end).toLowerCase());
}

function isNegationAtStake(left: string, right: string): boolean {
  if (left === '' || right === '' || left + right === 'cannot') return false;
  return NEGATING_PREFIXES.has(left) || [left, right, left + right].some((word) => NEGATORS.has(word));
}

function difference(document: Side, quote: Side, k: number, length: number): Difference {
  return { document: around(document, k, length), quote: around(quote, k, length) };
}

/** The source's words on both sides of unit `k`. */
function around(side: Side, k: number, length: number): string {
  const first = side.form.map[side.from + lettersLeft(side, k)];
  const last = side.form.map[side.from + lettersRight(side, k, length) - 1];
  return first === undefined || last === undefined ? '' : side.source.slice(first, last + 1);
}
