import { APOSTROPHE_CLASS, CHARACTER, classAt, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import { isNumberCutAfter, isNumberCutBefore } from './cut-numbers.ts';
import type { Edges } from './edges.ts';
import { cutsNameRange } from './name-range.ts';

const CONTEXT = 40;

const WORD = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts that are written without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u;

/** What may stand between a sign and its number, or a number and its percent sign: "-$5", "-(5)", "**5**%". */
const OPENING = /^[*_`~"'\u2018-\u201f([{\p{Sc}]+(?=[.,]?\p{N})/u;
const CLOSING = /(?<=\p{N})[*_`~"'\u2018-\u201f)\]}]+$/u;
/** "-VDD", "--force", "!ready", "\u00acready": a sign of a name, but not the mark of a list. */
const SIGNED_NAME = /(?:[^\S\n]|[([{=,;:|])-{1,2}$|(?:^|[^\p{L}\p{N}])\u2212$|[!\u00ac]$/u;
const COMPOUND_BEFORE = new RegExp(`[\\p{L}\\p{M}\\p{N}]${HYPHEN}(\\s*)$`, 'u');
const COMPOUND_AFTER = new RegExp(`^${HYPHEN}(?:[^\\S\\n]*\\n\\s*)?[\\p{L}\\p{N}]`, 'u');
/** "level- and edge-triggered": the hyphen belongs to the word before it. */
const AFTER_SUSPENDED_HYPHEN = /^(?:and|or|to|und|oder|et|ou|y|o)\b/i;
/** "12The": a page number glued to its sentence; only PDF glues so. Any other word may be a unit: "12Volt", "100Mbps". */
const GLUED_SENTENCE =
  /^(?:The|This|These|That|Those|There|They|Then|We|It|Its|If|In|For|From|When|Where|While|With|Each|All|Our|And|But|Both|However|Since|Because|Although|Figure|Table|Section)(?![\p{L}\p{N}_])/u;
const LETTER_AND_APOSTROPHE = new RegExp(`\\p{L}${APOSTROPHE_CLASS}$`, 'u');
const APOSTROPHE_AND_LETTER = new RegExp(`^${APOSTROPHE_CLASS}\\p{L}`, 'u');
/** "effect12 of": a footnote's number glued to a word; only PDF glues so. */
const GLUED_FOOTNOTE = { before: /(?:^|[^\p{L}\p{N}_])\p{Ll}{4,}$/u, after: /^\p{N}{1,2}(?![\p{L}\p{N}_])/u };

/**
 * Whether a span begins or ends inside a word or number of its text, so that it says less, or something else: "102" of "1023",
 * "7" of "1.7", "5" of "-5" or "< 5", "human" of "non-human", "can" of "can't". Glue that the layout of a PDF leaves (`isGlued`: "12The results",
 * "effect12 of") is no such place; scripts without spaces have none between letters.
 */
export function isCut(edges: Edges, isGlued: boolean): boolean {
  return isCutAtStart(edges, isGlued) || isCutAtEnd(edges, isGlued) || cutsNameRange(edges);
}

function isCutAtStart({ before, head: raw }: Edges, isGlued: boolean): boolean {
  const head = raw.replace(OPENING, '');
  const first = firstOf(head);
  const previous = lastOf(before);
  if (isHalfPair(before, head)) return true;
  if (WORD.test(previous) && WORD.test(first) && !isSpaceless(previous, first)) {
    return !(isGlued && /\p{N}/u.test(previous) && GLUED_SENTENCE.test(head));
  }
  if (/^[.,]?\p{N}/u.test(head)) return isNumberCutBefore(before, head);
  if (isHyphen(head, 0)) return /\p{N}\s*$/u.test(before) && /^.\s*\p{N}/u.test(head);
  if (!/[\p{L}\p{M}]/u.test(first)) return false;
  if (LETTER_AND_APOSTROPHE.test(before) || before.endsWith('^') || isSignedName(before)) return true;
  const gap = COMPOUND_BEFORE.exec(before)?.[1];
  return gap !== undefined && (gap === '' || gap.includes('\n') || !AFTER_SUSPENDED_HYPHEN.test(head));
}

function isCutAtEnd({ tail: whole, after }: Edges, isGlued: boolean): boolean {
  const tail = whole.replace(CLOSING, '');
  const last = lastOf(tail);
  const next = firstOf(after);
  if (isHalfPair(tail, after) || /^\p{M}/u.test(after)) return true;
  if (WORD.test(last) && WORD.test(next) && !isSpaceless(last, next)) {
    return !(isGlued && GLUED_FOOTNOTE.before.test(tail) && GLUED_FOOTNOTE.after.test(after));
  }
  if (/\p{N}[.,]$/u.test(tail)) return /^\p{N}/u.test(after);
  if (isHyphen(tail, tail.length - 1)) return /[\p{L}\p{N}]$/u.test(tail.slice(0, -1)) && WORD.test(next);
  if (/\p{N}$/u.test(tail)) return isNumberCutAfter(tail, after);
  if (!/[\p{L}\p{M}]$/u.test(tail)) return false;
  return APOSTROPHE_AND_LETTER.test(after) || after.startsWith('^') || COMPOUND_AFTER.test(after);
}

function isSignedName(before: string): boolean {
  return SIGNED_NAME.test(before) && !/\n[^\S\n]*-$/.test(before);
}

function isSpaceless(left: string, right: string): boolean {
  return SPACELESS.test(left) || SPACELESS.test(right);
}

function isHyphen(text: string, index: number): boolean {
  return classAt(text, index) === CHARACTER.hyphen;
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
