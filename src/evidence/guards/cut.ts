import { CHARACTER, classAt, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import type { Edges } from './edges.ts';

const CONTEXT = 40;

const WORD = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts that are written without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

/** Left of a number: the rest of it, a sign, a comparator, a currency. */
const NUMBER_BEFORE = new RegExp(
  `(?:\\p{N}[.,:/\\u202f]|\\^|${HYPHEN}(?:[^\\S\\n]*\\n\\s*)?|[+\\u00b1\\p{Sc}]|(?:[<>!]=|[\\u2264\\u2265\\u2260\\u2248~\\u223c]|(?<![-=<>])[<>])\\s*)$`,
  'u',
);
/** Right of a number: the rest of it, an exponent, a percent sign, the second half of a range or compound. */
const NUMBER_AFTER = new RegExp(
  `^(?:[.,:/\\u202f]\\p{N}|\\^|[%\\u2030\\u00b0]|\\s?[\\u00d7\\u00b7]\\s?10|${HYPHEN}(?:[^\\S\\n]*\\n\\s*)?[\\p{L}\\p{N}])`,
  'u',
);
/** "10 000": one space may group the digits of a number. */
const DIGIT_GROUP = { before: /(?:^|[^\p{N}.,])\p{N}{1,3} $/u, at: /^\p{N}{3}(?!\p{N})/u };
const DIGIT_GROUP_NEXT = { at: /(?:^|[^\p{N}.,])\p{N}{1,3}$/u, after: /^ \p{N}{3}(?!\p{N})/u };

const COMPOUND_BEFORE = new RegExp(`[\\p{L}\\p{M}\\p{N}]${HYPHEN}(\\s*)$`, 'u');
const COMPOUND_AFTER = new RegExp(`^${HYPHEN}(?:[^\\S\\n]*\\n\\s*)?[\\p{L}\\p{N}]`, 'u');
/** "level- and edge-triggered": the hyphen belongs to the word before it. */
const AFTER_SUSPENDED_HYPHEN = /^(?:and|or|to|und|oder|et|ou|y|o)\b/i;
/** "12The": a page or section number glued to the sentence. */
const GLUED_SENTENCE = /^\p{Lu}\p{Ll}{2}/u;
/** "effect12 of": a footnote's number glued to a word; only PDF glues so. */
const GLUED_FOOTNOTE = { before: /(?:^|[^\p{L}\p{N}_])\p{Ll}{4,}$/u, after: /^\p{N}{1,2}(?![\p{L}\p{N}_])/u };

/**
 * Whether a span begins or ends inside a word or number of its text, so that it says less, or something else: "102" of "1023",
 * "7" of "1.7", "5" of "-5" or "< 5", "human" of "non-human", "can" of "can't". Glue that a layout leaves ("12The results", with
 * `gluesFootnotes` also "effect12 of") is no such place; scripts without spaces have none between letters.
 */
export function isCut(edges: Edges, gluesFootnotes: boolean): boolean {
  return isCutAtStart(edges) || isCutAtEnd(edges, gluesFootnotes);
}

function isCutAtStart({ before, head }: Edges): boolean {
  const first = firstOf(head);
  const previous = lastOf(before);
  if (isHalfPair(before, head)) return true;
  if (WORD.test(previous) && WORD.test(first) && !isSpaceless(previous, first)) return !isGluedSentence(previous, head);
  if (/^[.,]?\p{N}/u.test(head)) return isNumberBefore(before, head);
  if (isHyphen(head, 0)) return /\p{N}\s*$/u.test(before) && /^.\s*\p{N}/u.test(head);
  if (!/[\p{L}\p{M}]/u.test(first)) return false;
  if (/\p{L}['\u2019]$/u.test(before) || before.endsWith('^')) return true;
  const gap = COMPOUND_BEFORE.exec(before)?.[1];
  return gap !== undefined && (gap === '' || gap.includes('\n') || !AFTER_SUSPENDED_HYPHEN.test(head));
}

function isGluedSentence(previous: string, span: string): boolean {
  return /\p{N}/u.test(previous) && GLUED_SENTENCE.test(span);
}

function isNumberBefore(before: string, span: string): boolean {
  if (/^[.,]/.test(span)) return /\p{N}$/u.test(before);
  return NUMBER_BEFORE.test(before) || (DIGIT_GROUP.before.test(before) && DIGIT_GROUP.at.test(span));
}

function isCutAtEnd({ tail, after: raw }: Edges, gluesFootnotes: boolean): boolean {
  const after = raw.slice(countIgnored(raw));
  const last = lastOf(tail);
  const next = firstOf(after);
  if (isHalfPair(tail, raw) || /^\p{M}/u.test(after)) return true;
  if (WORD.test(last) && WORD.test(next) && !isSpaceless(last, next)) {
    return !(gluesFootnotes && GLUED_FOOTNOTE.before.test(tail) && GLUED_FOOTNOTE.after.test(after));
  }
  if (/\p{N}[.,]$/u.test(tail)) return /^\p{N}/u.test(after);
  if (isHyphen(tail, tail.length - 1)) return /[\p{L}\p{N}]$/u.test(tail.slice(0, -1)) && WORD.test(next);
  if (/\p{N}$/u.test(tail)) return NUMBER_AFTER.test(after) || (DIGIT_GROUP_NEXT.at.test(tail) && DIGIT_GROUP_NEXT.after.test(after));
  if (!/[\p{L}\p{M}]$/u.test(tail)) return false;
  return /^['\u2019]\p{L}/u.test(after) || after.startsWith('^') || COMPOUND_AFTER.test(after);
}

function isSpaceless(left: string, right: string): boolean {
  return SPACELESS.test(left) || SPACELESS.test(right);
}

function isHyphen(text: string, index: number): boolean {
  return classAt(text, index) === CHARACTER.hyphen;
}

/** Variation selectors and joiners belong to the character before them. */
function countIgnored(text: string): number {
  let count = 0;
  while (classAt(text, count) === CHARACTER.ignored) count += 1;
  return count;
}

function isHalfPair(left: string, right: string): boolean {
  return /[\ud800-\udbff]$/.test(left) && /^[\udc00-\udfff]/.test(right);
}

function firstOf(text: string): string {
  const point = text.codePointAt(0);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function lastOf(text: string): string {
  return /[\ud800-\udbff][\udc00-\udfff]$/.test(text) ? text.slice(-2) : text.slice(-1);
}

/**
 * Whether a number follows the span directly: a quote that ends there with a full stop of its own has left the number out
 * ("hardwired to | 0." quoted as "hardwired to.").
 */
export function precedesNumber(text: string, end: number): boolean {
  return /^[\s"'(\u2018-\u201f]*[-+\u2212\u00b1]?\p{N}/u.test(text.slice(end, end + CONTEXT));
}

/** The span with the rest of the words that it cuts: up to white space on both sides. */
export function wholeWords(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  let to = end;
  while (from > 0 && start - from < CONTEXT && classAt(text, from - 1) !== CHARACTER.space) from -= 1;
  while (to < text.length && to - end < CONTEXT && classAt(text, to) !== CHARACTER.space) to += 1;
  return { start: from, end: to };
}
