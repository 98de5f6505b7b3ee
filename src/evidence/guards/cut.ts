import { APOSTROPHE_CLASS, CHARACTER, classAt, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import { isUnit, SPACELESS_CLASS } from '../words.ts';
import { isInAbbreviation } from './abbreviation.ts';
import {
  isNumberCutAfter,
  isNumberCutBefore,
  isNumberWord,
  isNumberWordCutAfter,
  isNumberWordCutBefore,
  isUnitCutAfter,
  isUnspacedNumberCut,
} from './cut-numbers.ts';
import type { Edges } from './edges.ts';
import { cutsNameRange } from './name-range.ts';

const CONTEXT = 40;

const WORD = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts that are written without spaces between words. */
const SPACELESS = new RegExp(SPACELESS_CLASS, 'u');

/** What may stand between a sign and its number, or a number and its percent sign: "-$5", "-(5)", "**5**%". */
const OPENING = /^[*_`~"'\u2018-\u201f([{\p{Sc}]+(?=[.,]?\p{N})/u;
const CLOSING = /(?<=\p{N})[*_`~"'\u2018-\u201f)\]}]+$/u;
/** "-VDD", "--force", "!ready", "\u00acready": a sign of a name, but not the mark of a list. */
const SIGNED_NAME = /(?:[^\S\n]|[([{=,;:|])-{1,2}$|(?:^|[^\p{L}\p{N}])\u2212$|[!\u00ac]$|\\neg\s*$/u;
/** "#RESET", "/RESET", "~RESET": a signal that is active when low; "a != b", "a \u2260 b", "x < y": the other side of a comparison. */
const SIGN_OF_NAME = /[\s([](?:#|~|\/)$/u;
const COMPARED = /(?:[\u2260\u2264\u2265\u2209\u220c\u2284]|[!<>=]=|=[<>])[^\S\n]?$|(?<![\p{L}\p{N}])\p{L}{1,2}\p{N}?[^\S\n][<>][^\S\n]$/u;
/** "== Scope" of AsciiDoc. */
const HEADING_MARK = /(?:^|\n)=+[^\S\n]+$/;
/** "Ca+", "C++", "C#", "RESET#": the sign belongs to the name. */
const SIGNED_AFTER = {
  plus: { tail: /(?<![\p{L}\p{N}])\p{Lu}\p{Ll}?$/u, after: /^\+{1,2}(?![\p{L}\p{N}])/u },
  exponent: { tail: /\p{L}$/u, after: /^[\u207a\u207b]/u },
  hash: { tail: /\p{Lu}$/u, after: /^#(?![\p{L}\p{N}])/u },
};
const COMPOUND_BEFORE = new RegExp(`[\\p{L}\\p{M}\\p{N}]${HYPHEN}(\\s*)$`, 'u');
const COMPOUND_AFTER = new RegExp(`^${HYPHEN}(?:[^\\S\\n]*\\n\\s*)?[\\p{L}\\p{N}]`, 'u');
/** "level- and edge-triggered": the hyphen belongs to the word before it. */
const AFTER_SUSPENDED_HYPHEN = /^(?:and|or|to|und|oder|et|ou|y|o)\b/i;
/** "12The": a page number glued to its sentence; only PDF glues so. Any other word may be a unit: "12Volt", "100Mbps". */
const GLUED_SENTENCE =
  /^(?:The|This|These|That|Those|There|They|Then|We|It|Its|If|In|For|From|When|Where|While|With|Each|All|Our|And|But|Both|However|Since|Because|Although|Figure|Table|Section)(?![\p{L}\p{N}_])/u;
const LETTER_AND_APOSTROPHE = new RegExp(`\\p{L}${APOSTROPHE_CLASS}$`, 'u');
const APOSTROPHE_AND_LETTER = new RegExp(`^${APOSTROPHE_CLASS}\\p{L}`, 'u');
/** Words that have a number of their own: "port80". */
const NUMBERED =
  /(?:port|type|level|sample|version|step|phase|group|page|line|table|figure|section|chapter|equation|register|channel|core|mode|stage|class|grade|case|test|item|part|node|layer|model|patient|vitamin|factor|chromosome|interleukin|week|year|route|unit|room|floor|slot|lane|bank|block|word|byte|timer|below|above|under|over|than|most|least|about|around|nearly|almost)$/u;
/** "effect12 of": a footnote's number glued to a word; only PDF glues so. */
const GLUED_FOOTNOTE = { before: /(?:^|[^\p{L}\p{N}_])\p{Ll}{4,}$/u, after: /^\p{N}{1,2}(?![\p{L}\p{N}_])/u };

/** Where a span cuts something: at its start, at its end, or a range of names at either. */
export type Cut = 'start' | 'end' | 'range';

/**
 * Where a span begins or ends inside a word or number of its text, so that it says less, or something else: "102" of "1023",
 * "7" of "1.7", "5" of "-5" or "< 5", "human" of "non-human", "can" of "can't", "e." of "e.g.". Glue that the layout of a PDF leaves (`isGlued`: "12The results",
 * "effect12 of") is no such place; scripts without spaces have none between letters. `null`: nowhere.
 */
export function cutOf(edges: Edges, isGlued: boolean): Cut | null {
  if (isUnspacedNumberCut(edges)) return 'range';
  if (isInAbbreviation(edges.before, edges.head)) return 'start';
  if (isCutAtStart(edges, isGlued)) return 'start';
  if (cutsNameRange(edges)) return 'range';
  return isCutAtEnd(edges, isGlued) || isInAbbreviation(edges.tail, edges.after) ? 'end' : null;
}

function isCutAtStart({ before, head: raw }: Edges, isGlued: boolean): boolean {
  const head = raw.replace(OPENING, '');
  const first = firstOf(head);
  const previous = lastOf(before);
  if (isHalfPair(before, head) || (/^[=<>]/.test(head) && /[!<>=:]$/.test(before))) return true;
  if (WORD.test(previous) && WORD.test(first) && !isSpaceless(previous, first)) {
    return !(isGlued && /\p{N}/u.test(previous) && GLUED_SENTENCE.test(head));
  }
  if (/^[.,]?\p{N}/u.test(head)) return isNumberCutBefore(before, head);
  if (isHyphen(head, 0)) return /\p{N}\s*$/u.test(before) && /^.\s*\p{N}/u.test(head);
  if (!/[\p{L}\p{M}]/u.test(first)) return false;
  if (LETTER_AND_APOSTROPHE.test(before) || before.endsWith('^') || isSignedName(before, head)) return true;
  if ((COMPARED.test(before) && !HEADING_MARK.test(before)) || isNumberWordCutBefore(before, head)) return true;
  const gap = COMPOUND_BEFORE.exec(before)?.[1];
  return gap !== undefined && (gap === '' || gap.includes('\n') || !AFTER_SUSPENDED_HYPHEN.test(head));
}

function isCutAtEnd({ before, head, tail: whole, after }: Edges, isGlued: boolean): boolean {
  const tail = whole.replace(CLOSING, '');
  const last = lastOf(tail);
  const next = firstOf(after);
  if (isHalfPair(tail, after) || /^\p{M}/u.test(after)) return true;
  if (WORD.test(last) && WORD.test(next) && !isSpaceless(last, next) && !isNoteLetter(whole, after)) {
    return !(isGlued && GLUED_FOOTNOTE.before.test(tail) && !NUMBERED.test(tail) && GLUED_FOOTNOTE.after.test(after));
  }
  if (/\p{N}[.,]$/u.test(tail)) return /^\p{N}/u.test(after);
  if (isHyphen(tail, tail.length - 1)) return /[\p{L}\p{N}]$/u.test(tail.slice(0, -1)) && WORD.test(next);
  if (/\p{N}$/u.test(tail)) return isNumberCutAfter(tail, after) || isInches(before + (head === whole ? '' : head), whole, after);
  if (isUnitCutAfter(tail, after)) return true;
  if (!/[\p{L}\p{M}]$/u.test(tail)) return false;
  if (isNumberWordCutAfter(tail, after) || isSignedAfter(tail, after)) return true;
  return APOSTROPHE_AND_LETTER.test(after) || after.startsWith('^') || COMPOUND_AFTER.test(after);
}

/** "(6.1)a": the letter of a note, glued to a bracket. */
function isNoteLetter(tail: string, after: string): boolean {
  return /[)\]]$/.test(tail) && /^[a-z](?![\p{L}\p{N}_])/u.test(after) && !isUnit(after.charAt(0));
}

function isSignedName(before: string, head: string): boolean {
  if (SIGN_OF_NAME.test(before) && /^\p{Lu}{2}/u.test(head)) return true;
  return SIGNED_NAME.test(before) && !/\n[^\S\n]*-$/.test(before);
}

function isSpaceless(left: string, right: string): boolean {
  return SPACELESS.test(left) || SPACELESS.test(right);
}

function isSignedAfter(tail: string, after: string): boolean {
  return Object.values(SIGNED_AFTER).some((sign) => sign.tail.test(tail) && sign.after.test(after));
}

/** `5"`, `5'`: a mark behind a number that closes no quotation is a unit. */
function isInches(before: string, tail: string, after: string): boolean {
  const mark = /^["'](?=[\s.,;)])/.exec(after)?.[0];
  if (mark === undefined) return false;
  const text = (before + tail).replace(/\p{L}'\p{L}/gu, '');
  return text.split(mark).length % 2 === 1;
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
  const next = text.slice(end, end + CONTEXT);
  if (isNumberWord(/^\s+(\p{L}+)(?![\p{L}\p{N}])/u.exec(next)?.[1])) return true;
  return /^[\s"'(\u2018-\u201f]*[-+\u2212\u00b1]?\p{N}/u.test(next);
}

/** The span with the rest of the words that it cuts: up to white space on both sides. */
export function wholeWords(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  let to = end;
  while (from > 0 && start - from < CONTEXT && classAt(text, from - 1) !== CHARACTER.space) from -= 1;
  while (to < text.length && to - end < CONTEXT && classAt(text, to) !== CHARACTER.space) to += 1;
  return { start: from, end: to };
}
