import { APOSTROPHE_CLASS, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import { isUnit } from '../words.ts';

const CONTEXT = 40;
/** What a text may put between a sign and its number: emphasis, the brackets and dollars of TeX, tags of HTML. */
const MARKS = '(?:[*_`~{$\\s]|<\\/?[a-z]{1,10}>)*';
const COMPARATOR =
  '(?:[<>!=]=|=[<>]|[\\u2260\\u2264-\\u2273\\u2a7d\\u2a7e\\u2248~\\u223c\\u2243\\u2245]|(?<!-|<\\/?[a-z][a-z0-9]{0,9})[<>]{1,3})';
const SPELLED_SIGN =
  '\\\\(?:pm|mp|leq?|geq?|leqslant|geqslant|ll|gg|lt|gt|neq?|sim|simeq|approx)|&(?:minus|plusmn|lt|gt|le|ge|ne|asymp|sim);';
const CURRENCY = '(?:\\p{Sc}|\\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR))';
const WORDED_SIGN =
  '\\b(?:minus|negative|below|above|under|over|than|exceeds?|exceeding|at\\s+(?:least|most)|up\\s+to|about|approximately|around|nearly|almost)\\s';
const GROUPING = `(?:[.,:/\\u2044\\u00b7\\u22c5\\u066b\\u066c\\u202f]|${APOSTROPHE_CLASS})`;
/** Signs that a line may begin with, and those that would be the mark of a list there. */
const OPERATOR = '(?:[\\u00d7\\u00b7\\u22c5\\u2219\\u2715\\u2044\\u00b1\\u2213]|\\\\(?:times|cdot|pm))';
const TYPED_OPERATOR = '(?:\\*\\*|\\+\\/-|[x*/+])';
const ELLIPSIS = '(?:\\.{2,3}|\\u2026)';
const BLANK = '[^\\S\\n]*';
const BREAK = `${BLANK}(?:\\n${BLANK})?`;

/** Left of a number: the rest of it, a sign, a comparator, a currency, the first half of a range or product. */
const BEFORE = new RegExp(
  [
    `\\p{N}${GROUPING}`,
    '\\^[{(]?',
    `${HYPHEN}${MARKS}`,
    `[+\\u00b1\\u2213]${MARKS}`,
    `(?:${CURRENCY}|${COMPARATOR}|${SPELLED_SIGN})${MARKS}`,
    `${WORDED_SIGN}${MARKS}`,
    `\\p{N}(?:${BREAK}${OPERATOR}|${BLANK}${TYPED_OPERATOR})${BREAK}`,
    `\\p{N}${BLANK}${ELLIPSIS}${BLANK}`,
    `\\p{N}\\s(?:to|through|thru)\\s`,
  ]
    .map((part) => `(?:${part})$`)
    .join('|'),
  'iu',
);
/** Right of a number: the rest of it, an exponent, a percent sign, a power of ten in words, the second half of a range or product. */
const AFTER = new RegExp(
  `^(?:${[
    `${GROUPING}\\p{N}`,
    '\\^',
    `${BLANK}\\\\?[%\\u2030\\u2031]`,
    `${BLANK}[\\u00b0\\u2103\\u2109]`,
    '\\+',
    `(?:${BREAK}${OPERATOR}|${BLANK}${TYPED_OPERATOR})${MARKS}\\p{N}`,
    `${HYPHEN}(?:${BLANK}\\n\\s*)?[\\p{L}\\p{N}]`,
    `${BLANK}(?:${HYPHEN}{1,3}\\s*|${ELLIPSIS}${BLANK})\\p{N}`,
    `\\s(?:to|through|thru)\\s+\\p{N}`,
    `\\s(?:hundred|thousand|million|billion|trillion)\\b`,
  ].join('|')})`,
  'iu',
);
/** "10 000": one space may group the digits of a number. */
const DIGIT_GROUP = { before: /(?:^|[^\p{N}.,])\p{N}{1,3}[ \u00a0\u2007\u2009]$/u, at: /^\p{N}{3}(?!\p{N})/u };
const DIGIT_GROUP_NEXT = { at: /(?:^|[^\p{N}.,])\p{N}{1,3}$/u, after: /^[ \u00a0\u2007\u2009]\p{N}{3}(?!\p{N})/u };
/** The mark of an item of a list, and the line that it begins. */
const LIST_MARK = /\n[^\S\n]*[-+*\u2022\u2013][^\S\n]+$/u;
const LIST_LINE = /^[^\S\n]*[-+*\u2022\u2013][^\S\n]/u;
const NEXT_WORD = /^[^\S\n]?\n?[^\S\n]?([\p{L}\u00b0]+)(?![\p{L}\p{N}_])/u;

/** Whether a number that begins with `head` is only the rest of what stands there: "5" of "-5", "− 5", "< 5", "3 x 5", "15'005". */
export function isNumberCutBefore(before: string, head: string): boolean {
  if (/^[.,]/.test(head)) return /\p{N}$/u.test(before);
  if (DIGIT_GROUP.before.test(before) && DIGIT_GROUP.at.test(head)) return true;
  if (endsInListMark(before)) return false;
  return BEFORE.test(before.replace(/[^\S\n]+/g, ' ').slice(-CONTEXT));
}

/** "\n- 5 bytes": the hyphen marks an item, after an empty line, after a sentence, clause or colon, or after another item. */
function endsInListMark(before: string): boolean {
  const mark = LIST_MARK.exec(before);
  if (mark === null) return false;
  const above = before.slice(0, mark.index).trimEnd();
  const gap = before.slice(above.length, mark.index + 1);
  if (above === '' || gap.split('\n').length > 2) return true;
  return /[.:;!?,]$/.test(above) || LIST_LINE.test(above.slice(above.lastIndexOf('\n') + 1));
}

/** Whether a number that ends `tail` goes on after it: "5" of "5.2", "5%", "5 x 10", "5 to 8", "5 million", or loses its unit. */
export function isNumberCutAfter(tail: string, after: string): boolean {
  if (DIGIT_GROUP_NEXT.at.test(tail) && DIGIT_GROUP_NEXT.after.test(after)) return true;
  if (AFTER.test(after)) return true;
  const next = NEXT_WORD.exec(after)?.[1];
  return next !== undefined && next !== 'A' && isUnit(next);
}
