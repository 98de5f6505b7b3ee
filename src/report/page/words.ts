import type { Tone } from './logic/quotes.ts';
import type { RowVerdict } from './logic/rows.ts';

/** A sign and a word, short where a table has little room: the colour is never the only signal. */
export type Word = { readonly sign: string; readonly word: string; readonly short?: string };

/** Of a job. */
export const VERDICT_WORDS: { readonly [V in RowVerdict]: Word } = {
  pass: { sign: '✓', word: 'pass' },
  fail: { sign: '✗', word: 'fail' },
  review: { sign: '?', word: 'to review', short: 'review' },
  error: { sign: '!', word: 'not evaluated', short: 'not eval.' },
  open: { sign: '…', word: 'open' },
};

/** Of a quote. */
export const TONE_SIGNS: { readonly [T in Tone]: string } = { verified: '✓', near: '≈', rejected: '✗' };

const TONE_MEANINGS: { readonly [T in Tone]: string } = {
  rejected: 'does not stand in the document',
  near: 'a person decides',
  verified: 'stands in the document',
};

/** What the signs of quotes mean, on one line. */
export function toneLegend(): string {
  const tones = ['rejected', 'near', 'verified'] as const;
  return tones.map((tone) => `${TONE_SIGNS[tone]} ${TONE_MEANINGS[tone]}`).join(' · ');
}

/** The word of a facet's value. */
export function verdictWord(value: string): Word {
  return Object.entries(VERDICT_WORDS).find(([verdict]) => verdict === value)?.[1] ?? { sign: '', word: value };
}

/** `no_text` → `no text`. */
export function plainWord(text: string): string {
  return text.replaceAll('_', ' ');
}
