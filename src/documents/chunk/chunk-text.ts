import type { CanonicalText } from '../../domain/document.ts';
import type { ChunkRule } from '../../domain/manifest/resolved.ts';
import type { Part } from '../../domain/part.ts';
import { createOverlaps } from './overlap.ts';
import { type Piece, SECTION_FILL, sectionPieces, type TokensOf, unitPieces } from './pieces.ts';
import { unitsOf } from './units.ts';

/** A chunk rule whose size is known. */
export type PartRule = Pick<ChunkRule, 'by' | 'overlap'> & { readonly maxTokens: number };

type Draft = {
  start: number;
  ownStart: number;
  end: number;
  /** Of the overlap, and of its own text. */
  repeated: number;
  own: number;
};

/**
 * Cuts a text into parts of at most `maxTokens`, each exactly `text.slice(start, end)`. They are filled one after the other, so that a
 * change of the document leaves the parts before it as they were, and their answers known. A part begins at a section where the one
 * before is well enough filled then, else at a paragraph, a row or list item, a sentence; only what has none of these is cut hard, between
 * characters. Takes time in proportion to the text: each piece is counted once, and sums are used.
 */
export function chunkText(
  content: Pick<CanonicalText, 'text' | 'sections' | 'blocks'>,
  { by, maxTokens, overlap }: PartRule,
  tokensOf: TokensOf,
): readonly Part[] {
  const { text, sections } = content;
  const tools = { text, maxTokens, tokensOf };
  const units = unitsOf(content).map((unit) => ({ ...unit, tokens: tokensOf(text.slice(unit.start, unit.end), unit.start) }));
  const pieces = by === 'section' ? sectionPieces(sections, units, tools) : unitPieces(units, tools);
  const drafts = fill(pieces, maxTokens, createOverlaps(units, Math.min(overlap, maxTokens), tools));
  return drafts.map(({ start, ownStart, end }, index) => ({ start, end, ownStart, index, of: drafts.length }));
}

type OverlapOf = ReturnType<typeof createOverlaps>;

function fill(pieces: readonly Piece[], maxTokens: number, overlapOf: OverlapOf): Draft[] {
  const done: Draft[] = [];
  const waiting = [...pieces].reverse();
  let draft: Draft = { start: 0, ownStart: 0, end: 0, repeated: 0, own: 0 };
  for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
    if (draft.repeated + draft.own + piece.tokens <= maxTokens) add(draft, piece);
    else if (draft.own > 0 && draft.own >= leastFill(piece, maxTokens) * maxTokens) {
      done.push(draft);
      draft = after(draft, overlapOf);
      waiting.push(piece);
    } else if (draft.own === 0 && draft.repeated > 0 && piece.tokens <= maxTokens) {
      withoutOverlap(draft);
      waiting.push(piece);
    } else {
      const finer = piece.split();
      if (finer.length > 0) for (const each of finer.toReversed()) waiting.push(each);
      else if (draft.own > 0) {
        done.push(draft);
        draft = after(draft, overlapOf);
        waiting.push(piece);
      } else {
        withoutOverlap(draft);
        add(draft, piece);
      }
    }
  }
  return [...done, draft];
}

/** What fits no part is cut anyway, and best used to fill this one. */
function leastFill(piece: Piece, maxTokens: number): number {
  return piece.tokens > maxTokens ? SECTION_FILL : piece.leastFill;
}

function add(draft: Draft, piece: Piece): void {
  draft.end = piece.end;
  draft.own += piece.tokens;
}

function withoutOverlap(draft: Draft): void {
  draft.start = draft.ownStart;
  draft.repeated = 0;
}

function after({ ownStart, end }: Draft, overlapOf: OverlapOf): Draft {
  const { start, tokens } = overlapOf(end, ownStart);
  return { start, ownStart: end, end, repeated: tokens, own: 0 };
}
