import type { Difference, Side } from '../match/aligned.ts';
import { hiddenIn, type Reading } from './reading.ts';

/** What the marks of a quote hide, each with its offset in the words: the target of a link, the key of a citation. */
export type Hidden = { readonly at: number; readonly hidden: string };

const NOTHING = '(nothing)';

/** What the document hides elsewhere, or otherwise, than the quote says; `null` when all that the quote shows of it stands there. */
export function hiddenDifference(
  document: Side,
  reading: Reading,
  quote: Side,
  shown: readonly Hidden[],
  length: number,
): Difference | null {
  if (shown.length === 0) return null;
  const [first = 0, last = 0] = [document.form.map[document.from], document.form.map[document.from + length - 1]];
  const theirs = hiddenIn(reading, { start: first, end: last + 1 }).map(({ at, hidden }) => ({ hidden, k: unitAt(document, at) }));
  for (const { at, hidden } of shown) {
    const here = theirs.filter(({ k }) => k === unitAt(quote, at));
    if (!here.some((one) => isSame(one.hidden, hidden))) return { document: here[0]?.hidden ?? NOTHING, quote: hidden };
  }
  return null;
}

/** "[3]" is how a citation is printed. */
function isSame(document: string, quote: string): boolean {
  return document === quote || (/^\[\d/.test(quote) && /^\\[cC]ite/.test(document));
}

/** The first unit of the match that stands at or behind an offset of the source. */
function unitAt({ form, from }: Side, offset: number): number {
  let low = 0;
  let high = form.map.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((form.map[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low - from;
}
