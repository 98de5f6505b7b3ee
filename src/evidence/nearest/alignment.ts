import type { Token } from './tokens.ts';

/** A token of the document and the token of the quote in its place; one of the two may be missing. */
export type Pair = { readonly document: Token | null; readonly quote: Token | null };

/**
 * Semi-global alignment with unit costs: all of the quote, any part of the document. `costs[q * width + d]` is the cost of laying
 * the first q tokens of the quote so that it ends before the document's token d.
 */
export function alignment(document: readonly Token[], quote: readonly Token[]): Pair[] {
  const width = document.length + 1;
  const costs = new Uint16Array(width * (quote.length + 1));
  for (let q = 1; q <= quote.length; q += 1) {
    costs[q * width] = q;
    for (let d = 1; d < width; d += 1) {
      const isSame = quote[q - 1]?.key === document[d - 1]?.key;
      const replaced = at(costs, (q - 1) * width + d - 1) + (isSame ? 0 : 1);
      const added = at(costs, (q - 1) * width + d) + 1;
      const dropped = at(costs, q * width + d - 1) + 1;
      costs[q * width + d] = Math.min(replaced, added, dropped);
    }
  }
  return walkBack(costs, width, document, quote);
}

function walkBack(costs: Uint16Array, width: number, document: readonly Token[], quote: readonly Token[]): Pair[] {
  const pairs: Pair[] = [];
  let q = quote.length;
  let d = cheapestEnd(costs, q * width, width);
  while (q > 0) {
    const cost = at(costs, q * width + d);
    const theirs = d > 0 ? (document[d - 1] ?? null) : null;
    const ours = quote[q - 1] ?? null;
    const step = theirs?.key === ours?.key ? 0 : 1;
    if (theirs !== null && cost === at(costs, (q - 1) * width + d - 1) + step) {
      pairs.push({ document: theirs, quote: ours });
      q -= 1;
      d -= 1;
    } else if (theirs !== null && cost === at(costs, q * width + d - 1) + 1) {
      pairs.push({ document: theirs, quote: null });
      d -= 1;
    } else {
      pairs.push({ document: null, quote: ours });
      q -= 1;
    }
  }
  return pairs.reverse();
}

/** The first cheapest end; one further when that costs the same, so that a changed last token stands beside what it replaces. */
function cheapestEnd(costs: Uint16Array, row: number, width: number): number {
  let best = 0;
  for (let d = 1; d < width; d += 1) {
    const difference = at(costs, row + d) - at(costs, row + best);
    if (difference < 0 || (difference === 0 && d === best + 1)) best = d;
  }
  return best;
}

function at(costs: Uint16Array, index: number): number {
  return costs[index] ?? 0;
}
