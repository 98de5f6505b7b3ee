import type { Span } from '../../domain/document.ts';
import type { Cut } from './cut.ts';

/** Characters on each side of a mark. */
const AROUND = 40;
const MARK = '|';

/** Some words around where a quote cuts its text, on one line, with `|` at the place: `…using Sun-|Spider, the industry…`. */
export function cutPlace(text: string, { start, end }: Span, edge: Cut): string {
  if (edge === 'start') return around(text, start, start);
  if (edge === 'end') return around(text, end, end);
  return end - start <= 2 * AROUND ? around(text, start, end) : `${around(text, start, start)} ${around(text, end, end)}`;
}

/** With a mark at both places, or with one where they are the same. */
function around(text: string, first: number, last: number): string {
  const from = Math.max(0, first - AROUND);
  const to = Math.min(text.length, last + AROUND);
  const before = text.slice(from, first);
  const after = text.slice(last, to);
  const between = first === last ? '' : `${text.slice(first, last)}${MARK}`;
  const words = `${from === 0 ? before : fromWord(before)}${MARK}${between}${to === text.length ? after : toWord(after)}`;
  // A half of a character in two would be no text; a word is hyphenated over the end of a line.
  return words
    .replace(/\p{Cs}/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/(\p{Pd})\s*\|\s*/gu, `$1${MARK}`)
    .trim();
}

function fromWord(text: string): string {
  return `…${text.replace(/^\S*\s+(?=\S)/, '')}`;
}

function toWord(text: string): string {
  return `${text.replace(/(?<=\S)\s+\S*$/, '')}…`;
}
