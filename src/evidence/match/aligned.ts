import { CHARACTER, classAt, HYPHEN_CLASS } from './characters.ts';
import type { MatchForm } from './match-form.ts';

/** One side of a match: `form.text` from `from` on equals the other side's, unit by unit (up to case). */
export type Side = { readonly source: string; readonly form: MatchForm; readonly from: number };

/** The source's characters that the match form left out before its unit `k`. */
export function gapBefore(side: Side, k: number): string {
  const previous = side.form.map[side.from + k - 1];
  const here = side.form.map[side.from + k];
  if (previous === undefined || here === undefined || here - previous <= 1) return '';
  return side.source.slice(previous + 1, here);
}

const HYPHEN = new RegExp(HYPHEN_CLASS);

/** Whether two words stand apart here: white space, and no hyphen that joins them. */
export function isWordGap(gap: string): boolean {
  return gap !== '' && /\s/.test(gap) && !HYPHEN.test(gap);
}

export function hasHyphen(gap: string): boolean {
  return gap !== '' && HYPHEN.test(gap);
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
