import search from 'approx-string-match';
import type { EvidenceIndex } from '../evidence-index.ts';
import { wholeWords } from '../guards/cut.ts';
import { squeeze } from '../match/match-form.ts';
import { type Comparison, compareTokens } from './token-diff.ts';
import { tokensOf } from './tokens.ts';

/** One search costs about 15 ns per character of the document and 32 of the piece, so pieces are short and at most two. */
const PIECE = 96;
const SHORTEST_PIECE = 8;
const MOST_ERRORS = 0.25;
/** The part of a quote that is looked at; what follows adds nothing to "altered here". */
const LONGEST_QUOTE = 1_500;
const SLACK = 1.25;
const MARGIN = 40;
const MOST_TOKENS = { quote: 300, document: 450 };

/**
 * The place of the document that a quote resembles most, by its beginning (a quarter of its characters may differ) or else by its
 * end. `null` when nothing resembles it. Offsets are those of the canonical text.
 */
export function nearestPlace(index: EvidenceIndex, cleaned: string): Comparison | null {
  const shown = cleaned.slice(0, LONGEST_QUOTE);
  const form = squeeze(shown, null).text;
  const tokens = tokensOf(shown, MOST_TOKENS.quote);
  const head = form.slice(0, PIECE);
  const tailAt = Math.max(0, form.length - PIECE);
  const at = placeOf(index, head) ?? (tailAt > 0 ? shifted(placeOf(index, form.slice(tailAt)), tailAt) : null);
  return at === null || tokens.length === 0 ? null : compareAt(index, at, form.length, tokens);
}

/** Offset in the document's match form where the piece stands, roughly. */
function placeOf(index: EvidenceIndex, piece: string): number | null {
  if (piece.length < SHORTEST_PIECE) return null;
  return search(index.form.text, piece, Math.floor(piece.length * MOST_ERRORS))[0]?.start ?? null;
}

function shifted(place: number | null, back: number): number | null {
  return place === null ? null : Math.max(0, place - Math.ceil(back * SLACK));
}

function compareAt(index: EvidenceIndex, at: number, length: number, quote: ReturnType<typeof tokensOf>): Comparison | null {
  const { map } = index.form;
  const { text } = index.content;
  const from = map[Math.max(0, at - MARGIN)] ?? 0;
  const to = map[Math.min(map.length - 1, at + Math.ceil(length * SLACK) + MARGIN)] ?? text.length;
  const window = wholeWords(text, from, to);
  const found = compareTokens(tokensOf(text.slice(window.start, window.end), MOST_TOKENS.document), quote);
  return found === null ? null : { ...found, start: window.start + found.start, end: window.start + found.end };
}
