import { APOSTROPHE_CLASS, HYPHEN_CLASS as HYPHEN } from '../match/characters.ts';
import type { Edges } from './edges.ts';

const CONTEXT = 40;
/** A letter, or letters with a number: `A`, `R0`, `PA15`. */
const NAME = '(?:\\p{L}\\p{N}{0,3}|\\p{L}{2,4}\\p{N}{1,3})';
const QUOTES = '[*_`"]{0,3}';
const BLANK = '[^\\S\\n]{0,3}';
const BREAK = `${BLANK}(?:\\n${BLANK})?`;
/** Not a line break before a hyphen, which would be the mark of a list. */
const DASH = `${BLANK}(?:${HYPHEN}|[\\u2014\\u2015]){1,3}${BREAK}`;
const ELLIPSIS = `${BLANK}(?:\\.{2,3}|\\u2026)${BLANK}`;
/** The right half is only looked at, because it may begin the next range: "A – B – D". No range ends with an "a". */
const RANGE = new RegExp(
  `(?<![\\p{L}\\p{N}_])${NAME}${QUOTES}(?:${DASH}|${ELLIPSIS}|\\s(?:through|thru)\\s)(?=(${QUOTES}(?![Aa](?![\\p{L}\\p{N}]))${NAME})(?!${APOSTROPHE_CLASS}?[\\p{L}\\p{N}_]))`,
  'gu',
);

/** Whether an edge of the span stands inside a range of names, so that its other end is left out: "D" of "A – D", "A" of "A..D". */
export function cutsNameRange({ before, head, tail, after }: Edges): boolean {
  return isInRange(before.slice(-CONTEXT), head.slice(0, CONTEXT)) || isInRange(tail.slice(-CONTEXT), after.slice(0, CONTEXT));
}

function isInRange(left: string, right: string): boolean {
  for (const { index, 0: start, 1: end = '' } of (left + right).matchAll(RANGE)) {
    if (index < left.length && left.length < index + start.length + end.length) return true;
  }
  return false;
}
