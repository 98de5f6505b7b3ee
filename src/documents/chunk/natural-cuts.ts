import type { Span } from '../../domain/document.ts';

/** A way to cut a text: the offsets at which a new piece may begin, in order. */
export type Cutter = (text: string) => Iterable<number>;

const LIST_ITEM = /\n(?=[ \t]{0,20}(?:[-*+•–]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t])/g;
/** Before a small letter a stop ends an abbreviation; one of many leads to a page number. */
const SENTENCE_END = /(?<=[^\s.])[.!?…]["'”’)\]]{0,3}\s+(?=[^a-z\s.])|[。！？]["'”’」』)]{0,3}\s*/g;

/** Running text falls into list items, then sentences, then lines. */
export const TEXT_CUTTERS: readonly Cutter[] = [after(LIST_ITEM), after(SENTENCE_END), after(/\n/g)];
/** Tables and listings fall into what blank lines divide, then rows: never a row in two. */
export const BLOCK_CUTTERS: readonly Cutter[] = [after(/\n\n+/g), after(/\n/g)];

function after(end: RegExp): Cutter {
  return function* (text) {
    for (const match of text.matchAll(end)) yield match.index + match[0].length;
  };
}

/** The spans between cuts; short ones go together until they have `least` characters. */
export function spansBetween(text: string, { start, end }: Span, cutter: Cutter, least: number): Span[] {
  const spans: Span[] = [];
  let from = start;
  for (const cut of cutter(text.slice(start, end))) {
    if (start + cut - from < least || start + cut >= end) continue;
    spans.push({ start: from, end: start + cut });
    from = start + cut;
  }
  return [...spans, { start: from, end }];
}

/** How far back white space is looked for, and then the beginning of what stands as one sign. */
const LONGEST_WORD = 64;
const LONGEST_SIGN = 16;

/** Cuts a span without any natural place into pieces of about `size` characters: after white space, else never within a character. */
export function hardSpans(text: string, { start, end }: Span, size: number): Span[] {
  const spans: Span[] = [];
  for (let from = start; from < end; ) {
    const to = from + size >= end ? end : hardCut(text, from, from + size, end);
    spans.push({ start: from, end: to });
    from = to;
  }
  return spans;
}

function hardCut(text: string, from: number, to: number, end: number): number {
  const halfWay = Math.max(from + 1, Math.ceil((from + to) / 2), to - LONGEST_WORD);
  for (let at = to; at >= halfWay; at -= 1) if (isSpace(text.charCodeAt(at - 1)) && !isSpace(text.charCodeAt(at))) return at;
  for (let at = to; at > from && at > to - LONGEST_SIGN; at -= 1) if (beginsSign(text, at)) return at;
  return codePointStart(text, to, from, end);
}

function codePointStart(text: string, to: number, from: number, end: number): number {
  if (!isLowSurrogate(text, to)) return to;
  return to - 1 > from ? to - 1 : Math.min(end, to + 1);
}

/** A combining mark, a joiner, or a variation selector belongs to the character before it. */
const BELONGS_BEFORE = /^[\p{M}\u200D]/u;

function beginsSign(text: string, at: number): boolean {
  if (isLowSurrogate(text, at) || text.charCodeAt(at - 1) === 0x200d) return false;
  return !BELONGS_BEFORE.test(text.slice(at, at + 2));
}

function isLowSurrogate(text: string, at: number): boolean {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(at)) && /^[\uD800-\uDBFF]/.test(text.charAt(at - 1));
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}
