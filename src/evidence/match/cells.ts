import type { CanonicalText } from '../../domain/document.ts';
import { type Reading, toSource } from '../reading/reading.ts';
import { type Difference, differenceAt, gapBefore, type Side } from './aligned.ts';
import { isBlank } from './characters.ts';

const BAR = '|';

/** The bars between the cells of a document's tables: `bars[i]` is 1 for one in the reading. `null` without a table. */
export function barsOf({ blocks }: CanonicalText, reading: Reading): Uint8Array | null {
  const tables = blocks.filter(({ kind }) => kind === 'table');
  if (tables.length === 0) return null;
  const bars = new Uint8Array(reading.text.length);
  let next = 0;
  for (let at = reading.text.indexOf(BAR); at !== -1; at = reading.text.indexOf(BAR, at + 1)) {
    const { start } = toSource(reading, { start: at, end: at + 1 });
    while ((tables[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    if (start >= (tables[next]?.start ?? Number.POSITIVE_INFINITY) && isBar(reading.text, at)) bars[at] = 1;
  }
  return bars;
}

/** The bars of a quote from a table; `null` when it has none. */
export function barsOfQuote(text: string): Uint8Array | null {
  if (!text.includes(BAR)) return null;
  return Uint8Array.from({ length: text.length }, (_, at) => (text[at] === BAR && isBar(text, at) ? 1 : 0));
}

/** Beside white space, so that "5|7" does not become a number. */
function isBar(text: string, at: number): boolean {
  return text[at - 1] !== '\\' && (isBlank(text, at - 1) || isBlank(text, at + 1));
}

/**
 * The first place where the quote parts the cells of a table in another way than the document: with bars it must have the same ones; white
 * space may stand for one bar, within one row, and a line's end for a row's.
 */
export function cellDifference(document: Side, quote: Side, length: number): Difference | null {
  let joinsCells = false;
  let joinsRows = false;
  for (let k = 1; k < length; k += 1) {
    const [theirs, ours] = [gapBefore(document, k), gapBefore(quote, k)];
    if (theirs === ours) continue;
    joinsRows ||= theirs.includes('\n') && !/[\n|]/.test(ours);
    joinsCells ||= theirs.includes(BAR) && !ours.includes(BAR);
    const hasBar = theirs.includes(BAR) || ours.includes(BAR);
    if ((joinsCells && joinsRows) || (hasBar && !isSameBoundary(theirs, ours))) return differenceAt(document, quote, k, length);
  }
  return null;
}

function isSameBoundary(document: string, quote: string): boolean {
  const [theirs, ours] = [document, quote].map((gap) => gap.replace(/[^|\n]/g, '').replace(/\n+/g, '\n'));
  if (theirs === undefined || ours === undefined) return false;
  if (/^\|?\n\|?$/.test(theirs)) return /^\|?\n\|?$|^\|\|$/.test(ours);
  return ours.includes(BAR) ? theirs === ours : theirs === BAR && /\s/.test(quote);
}

/** Both of two masks. */
export function bothOf(a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null {
  if (a === null || b === null) return a ?? b;
  return a.map((value, i) => value | (b[i] ?? 0));
}
