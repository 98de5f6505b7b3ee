import type { Section, Span } from '../../domain/document.ts';
import { BLOCK_CUTTERS, type Cutter, hardSpans, spansBetween, TEXT_CUTTERS } from './natural-cuts.ts';
import type { Unit } from './units.ts';

/** Tokens of a stretch of the text, which begins at `start` of it: of two stretches together it must not find more than of each by itself. */
export type TokensOf = (stretch: string, start: number) => number;

/** A stretch of text that may go into a part as it is, or in the pieces it falls into. */
export type Piece = Span & {
  readonly tokens: number;
  /** How full a part must be, of 1, so that this begins a new one rather than being cut to fill it. */
  readonly leastFill: number;
  /** What it falls into, in order; nothing: it cannot be cut. */
  readonly split: () => readonly Piece[];
};

export type CountedUnit = Unit & { readonly tokens: number };

export type PieceTools = { readonly text: string; readonly maxTokens: number; readonly tokensOf: TokensOf };

export const SECTION_FILL = 0.5;
const PARAGRAPH_FILL = 0.25;

/** A document as its sections, those as their subsections, and so on down to units. */
export function sectionPieces(sections: readonly Section[], units: readonly CountedUnit[], tools: PieceTools): readonly Piece[] {
  return rangePieces(sectionTree(sections, units), units, tools);
}

/** Units by themselves, whatever sections they stand in. */
export function unitPieces(units: readonly CountedUnit[], tools: PieceTools): readonly Piece[] {
  return units.map((unit) => unitPiece(unit, tools));
}

/** A section as the units `from` to `to`, with the sections in it. */
type Range = { readonly from: number; to: number; tokens: number; readonly end: number; readonly inner: Range[] };

function sectionTree(sections: readonly Section[], units: readonly CountedUnit[]): Range {
  const unitAt = new Map(units.map(({ start }, index) => [start, index]));
  const before = tokensBefore(units);
  const root: Range = { from: 0, to: units.length, tokens: 0, end: Number.POSITIVE_INFINITY, inner: [] };
  const open: Range[] = [root];
  const close = (to: number, offset: number): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= offset; last = open.at(-1)) {
      last.to = to;
      last.tokens = (before[to] ?? 0) - (before[last.from] ?? 0);
      open.pop();
    }
  };
  for (const { start, end } of sections) {
    const from = unitAt.get(start);
    // One that begins within a listing, or where nothing stands, is none to cut at.
    if (from === undefined) continue;
    close(from, start);
    const range: Range = { from, to: from, tokens: 0, end, inner: [] };
    open.at(-1)?.inner.push(range);
    open.push(range);
  }
  close(units.length, Number.MAX_SAFE_INTEGER);
  return root;
}

function tokensBefore(units: readonly CountedUnit[]): number[] {
  const sums = [0];
  let sum = 0;
  for (const { tokens } of units) {
    sum += tokens;
    sums.push(sum);
  }
  return sums;
}

function rangePieces({ from, to, inner }: Range, units: readonly CountedUnit[], tools: PieceTools): Piece[] {
  const own = units.slice(from, inner[0]?.from ?? to).map((unit) => unitPiece(unit, tools));
  const below = inner.flatMap((range): Piece[] => {
    const [first, last] = [units[range.from], units[range.to - 1]];
    if (first === undefined || last === undefined || range.to <= range.from) return [];
    const split = () => rangePieces(range, units, tools);
    return [{ start: first.start, end: last.end, tokens: range.tokens, leastFill: SECTION_FILL, split }];
  });
  return [...own, ...below];
}

function unitPiece(unit: CountedUnit, tools: PieceTools): Piece {
  const { start, end, tokens, block } = unit;
  const cutters = block === null ? TEXT_CUTTERS : BLOCK_CUTTERS;
  return { start, end, tokens, leastFill: block === null ? PARAGRAPH_FILL : 0, split: () => finer(unit, cutters, tools) };
}

/** Pieces of this share of a part are small enough to fill it well; counting smaller ones would take longer. */
const SHARE_OF_PART = 16;

function finer(whole: Span & { readonly tokens: number }, cutters: readonly Cutter[], tools: PieceTools): readonly Piece[] {
  const { text, maxTokens } = tools;
  const length = whole.end - whole.start;
  const size = Math.max(1, Math.floor((length * maxTokens) / Math.max(1, whole.tokens) / SHARE_OF_PART));
  for (const [index, cutter] of cutters.entries()) {
    const spans = spansBetween(text, whole, cutter, size);
    if (spans.length > 1) return spans.map((span) => finerPiece(span, cutters.slice(index + 1), tools));
  }
  const spans = hardSpans(text, whole, size);
  return spans.length > 1 ? spans.map((span) => finerPiece(span, [], tools)) : [];
}

function finerPiece({ start, end }: Span, cutters: readonly Cutter[], tools: PieceTools): Piece {
  const tokens = tools.tokensOf(tools.text.slice(start, end), start);
  return { start, end, tokens, leastFill: 0, split: () => finer({ start, end, tokens }, cutters, tools) };
}
