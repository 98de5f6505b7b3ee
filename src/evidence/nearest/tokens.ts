import { HYPHEN_CLASS } from '../match/characters.ts';
import { squeeze } from '../match/match-form.ts';
import { isCaseSensitive } from '../words.ts';

/** A word, number or comparator of a text. Two tokens are the same when their keys are. */
export type Token = { readonly raw: string; readonly key: string; readonly start: number; readonly end: number };

const NUMBER =
  '(?<![\\p{L}\\p{N}])[-+\\u2212\\u00b1]?\\p{N}+(?:[.,:\\u202f]\\p{N}+)*(?:\\^?[-+\\u2212]\\p{N}+|\\^\\p{N}+|[\\u207a\\u207b]\\p{N}+)?[\\p{L}\\p{N}_]*[%\\u2030\\u00b0]?';
const WORD = `[\\p{L}\\p{M}_][\\p{L}\\p{M}\\p{N}_]*(?:(?:['\\u2019]|${HYPHEN_CLASS}(?:[^\\S\\n]*\\n\\s*)?)[\\p{L}\\p{M}\\p{N}_]+)*(?:\\^[-+\\u2212]?\\p{N}+)?`;
const SIGN = '[<>=!]=|[<>^\\u2264\\u2265\\u2260=\\u00b1~\\u2248%\\u2030\\u00b0]';
const TOKEN = new RegExp(`${NUMBER}|${WORD}|${SIGN}`, 'gu');

/** The first `limit` tokens of a text. Keys ignore hyphenation, and case where it means nothing. */
export function tokensOf(text: string, limit: number): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length >= limit) break;
    const raw = match[0];
    tokens.push({ raw, key: keyOf(raw), start: match.index, end: match.index + raw.length });
  }
  return tokens;
}

function keyOf(raw: string): string {
  const form = squeeze(raw, null).text;
  return isCaseSensitive(raw) ? form : form.toLowerCase();
}
