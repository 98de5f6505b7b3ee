import { CHARACTER, classAt, HYPHEN_CLASS } from './characters.ts';
import type { MatchForm } from './match-form.ts';

/**
 * One side of a match: `form.text` from `from` on equals the other side's, unit by unit (up to case). `dropped[i] === 1`: the source's
 * character i is a mark of Markdown.
 */
export type Side = {
  readonly source: string;
  readonly form: MatchForm;
  readonly from: number;
  readonly dropped: Uint8Array | null;
};

/** The source's characters that the match form left out before its unit `k`. */
export function gapBefore(side: Side, k: number): string {
  const previous = side.form.map[side.from + k - 1];
  const here = side.form.map[side.from + k];
  if (previous === undefined || here === undefined || here - previous <= 1) return '';
  return side.source.slice(previous + 1, here);
}

/** What stands between two units of a match form. */
export type Gap = {
  readonly isSpace: boolean;
  readonly isLineEnd: boolean;
  /** The hyphen or dash in it; empty without one. Soft hyphens are none. */
  readonly hyphen: string;
};

const NO_GAP: Gap = { isSpace: false, isLineEnd: false, hyphen: '' };
const HYPHEN = new RegExp(`(?!\u00ad)${HYPHEN_CLASS}`);

/** The gap before unit `k`. */
export function gapAt(side: Side, k: number): Gap {
  const gap = gapBefore(side, k);
  if (gap === '') return NO_GAP;
  return { isSpace: /\s/.test(gap), isLineEnd: gap.includes('\n'), hyphen: HYPHEN.exec(gap)?.[0] ?? '' };
}

/** Whether two words stand apart here: white space, and no hyphen that joins them. */
export function isWordGap(gap: string): boolean {
  return gap !== '' && /\s/.test(gap) && !HYPHEN.test(gap);
}

function hasHyphen(gap: string): boolean {
  return gap !== '' && HYPHEN.test(gap);
}

/** What the document says, and what the quote makes of it. */
export type Difference = { readonly document: string; readonly quote: string };

/** The words of both sides around unit `k`. */
export function differenceAt(document: Side, quote: Side, k: number, length: number): Difference {
  return { document: around(document, k, length), quote: around(quote, k, length) };
}

/** The source's words on both sides of unit `k`; a unit that is no letter is shown with its neighbours. */
function around(side: Side, k: number, length: number): string {
  const start = lettersLeft(side, k);
  const end = lettersRight(side, k, length);
  const first = side.form.map[side.from + (start === k ? Math.max(0, k - 1) : start)];
  const last = side.form.map[side.from + (end === k ? Math.min(length - 1, k + 1) : end - 1)];
  return first === undefined || last === undefined ? '' : side.source.slice(first, last + 1);
}

const LONGEST_WORD = 64;

/** Start of the run of letters that ends before unit `k`. */
export function lettersLeft(side: Side, k: number): number {
  let start = k;
  while (start > 0 && k - start < LONGEST_WORD && isLetter(side, start - 1)) {
    start -= 1;
    if (start > 0 && endsWord(gapBefore(side, start))) break;
  }
  return start;
}

/** End of the run of letters that starts at unit `k`; `length` is the length of the match. */
export function lettersRight(side: Side, k: number, length: number): number {
  let end = k;
  while (end < length && end - k < LONGEST_WORD && isLetter(side, end)) {
    end += 1;
    if (end < length && endsWord(gapBefore(side, end))) break;
  }
  return end;
}

/** Units `[start, end)` of a match as the match form spells them. */
export function formSlice(side: Side, start: number, end: number): string {
  return side.form.text.slice(side.from + start, side.from + end);
}

/** White space ends a word, and so does a hyphen, unless it only breaks the word over two lines. */
function endsWord(gap: string): boolean {
  return isWordGap(gap) || (hasHyphen(gap) && !gap.includes('\n'));
}

function isLetter(side: Side, k: number): boolean {
  return classAt(side.form.text, side.from + k) === CHARACTER.letter;
}
