import type { Span } from '../../domain/document.ts';
import type { EvidenceIndex } from '../evidence-index.ts';
import { wholeWords } from '../guards/cut.ts';
import { CHARACTER, classAt } from '../match/characters.ts';
import { squeeze } from '../match/match-form.ts';
import { nearestEnd } from './nearest-end.ts';
import { type Comparison, compareTokens, type Tokenised } from './token-diff.ts';
import { tokensOf } from './tokens.ts';

/** One search costs about 10 ns per character of the document and 32 of the piece, so pieces are short and at most two. */
const PIECE = 96;
const SHORTEST_PIECE = 8;
const MOST_ERRORS = 0.25;
/** The part of a quote that is looked at; what follows adds nothing to "altered here". */
const LONGEST_QUOTE = 1_500;
const SLACK = 1.25;
const MARGIN = 40;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const MOST_TOKENS = { quote: 300, document: 450 };

/**
 * The place of the document that a quote resembles most, by its beginning (a quarter of its characters may differ) or else by its
 * end. `null` when nothing resembles it. Offsets are those of the reading.
 */
export function nearestPlace(index: EvidenceIndex, cleaned: string): Comparison | null {
  const shown = cleaned.slice(0, LONGEST_QUOTE);
  const form = squeeze(shown, null).text;
  const tokens = tokensOf(shown, MOST_TOKENS.quote);
  const head = form.slice(0, PIECE);
  const tailAt = Math.max(0, form.length - PIECE);
  const at = placeOf(index, head) ?? (tailAt > 0 ? shifted(placeOf(index, form.slice(tailAt)), tailAt) : null);
  return at === null || tokens.length === 0 ? null : compareAt(index, at, form.length, { text: shown, tokens });
}

/** Offset in the document's match form where the piece stands, roughly. */
function placeOf(index: EvidenceIndex, piece: string): number | null {
  if (piece.length < SHORTEST_PIECE) return null;
  const end = nearestEnd(index.form.text, piece, Math.floor(piece.length * MOST_ERRORS));
  return end === null ? null : Math.max(0, end - piece.length);
}

function shifted(place: number | null, back: number): number | null {
  return place === null ? null : Math.max(0, place - Math.ceil(back * SLACK));
}

function compareAt(index: EvidenceIndex, at: number, length: number, quote: Tokenised): Comparison | null {
  const { map } = index.form;
  const { text } = index.reading;
  const from = map[Math.max(0, at - MARGIN)] ?? 0;
  const to = map[Math.min(map.length - 1, at + Math.ceil(length * SLACK) + MARGIN)] ?? text.length;
  const window = wholeWords(text, from, to);
  const shown = text.slice(window.start, window.end);
  const document = { text: shown, tokens: tokensOf(shown, MOST_TOKENS.document) };
  const found = compareTokens(document, quote, (word) => hasWord(text, word));
  return found === null ? null : { ...found, start: window.start + found.start, end: window.start + closed(shown, found) };
}

/** Where the span ends with the brackets that it opens: "(0 is reserved" stands before ")". */
function closed(text: string, { start, end }: Span): number {
  const open: string[] = [];
  for (const character of text.slice(start, end)) {
    const closing = BRACKETS.get(character);
    if (closing !== undefined) open.push(closing);
    else if (character === open.at(-1)) open.pop();
  }
  let to = end;
  while (open.length > 0 && text[to] === open.pop()) to += 1;
  return to;
}

/** Whether the text has the word by itself, in this case or in small letters. */
function hasWord(text: string, word: string): boolean {
  return [word, word.toLowerCase(), word.charAt(0).toUpperCase() + word.slice(1)].some((spelling) => {
    for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + 1)) {
      if (classAt(text, at - 1) !== CHARACTER.letter && classAt(text, at + spelling.length) !== CHARACTER.letter) return true;
    }
    return false;
  });
}
