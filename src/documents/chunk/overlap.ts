import { BLOCK_CUTTERS, spansBetween, TEXT_CUTTERS } from './natural-cuts.ts';
import type { CountedUnit, PieceTools } from './pieces.ts';

/** What a part repeats of the one before it: from `start` to its own text. */
export type Overlap = { readonly start: number; readonly tokens: number };

/** More characters than a token has in any text that is worth repeating. */
const CHARACTERS_PER_TOKEN = 8;

/** Finds overlaps for cuts that are asked for in ascending order. */
export function createOverlaps(units: readonly CountedUnit[], most: number, { text, tokensOf }: PieceTools) {
  let index = 0;
  /** The last whole units before `cut` that fit, else the last sentences or rows, else nothing; never from before `notBefore`. */
  return (cut: number, notBefore: number): Overlap => {
    while ((units[index]?.end ?? cut) < cut) index += 1;
    const last = units[index];
    if (most === 0 || last === undefined) return { start: cut, tokens: 0 };
    const whole = last.end === cut ? lastFitting(units, index, most, notBefore) : null;
    return whole ?? lastFitting(tail(last, cut), -1, most, notBefore) ?? { start: cut, tokens: 0 };
  };

  function tail(unit: CountedUnit, cut: number): { start: number; tokens: number }[] {
    const start = Math.max(unit.start, cut - most * CHARACTERS_PER_TOKEN);
    const cutters = unit.block === null ? TEXT_CUTTERS.slice(1, 2) : BLOCK_CUTTERS.slice(-1);
    return cutters.flatMap((cutter) => {
      const spans = spansBetween(text, { start, end: cut }, cutter, 1);
      // The first may have begun before.
      return spans
        .slice(start === unit.start ? 0 : 1)
        .map((span) => ({ start: span.start, tokens: tokensOf(text.slice(span.start, span.end), span.start) }));
    });
  }
}

/** From the one at `index` (-1: the last) backwards; `null` when not even that one fits. */
function lastFitting(pieces: readonly Overlap[], index: number, most: number, notBefore: number): Overlap | null {
  let found: Overlap | null = null;
  for (let at = index === -1 ? pieces.length - 1 : index; at >= 0; at -= 1) {
    const piece = pieces[at];
    const tokens: number = (piece?.tokens ?? 0) + (found?.tokens ?? 0);
    if (piece === undefined || tokens > most || piece.start < notBefore) break;
    found = { start: piece.start, tokens };
  }
  return found;
}
