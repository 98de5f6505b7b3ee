import type { CanonicalText } from '../domain/document.ts';
import { createEvidenceIndex, type EvidenceIndex } from '../evidence/evidence-index.ts';
import { verifyQuote } from '../evidence/verify-quote.ts';

export type SeekInput = { readonly document: CanonicalText; readonly quotes: readonly string[] };

/** Longest words of a quote that are looked for before anything else: an index of a document costs a thousand times as much. */
const LEADING_WORDS = 6;

/** Those of the quotes that stand in a document word for word. */
export function seekQuotes({ document, quotes }: SeekInput): readonly string[] {
  let index: EvidenceIndex | null = null;
  return quotes.filter((quote) => {
    if (!holdsItsWords(document.text, quote)) return false;
    index ??= createEvidenceIndex(document);
    return verifyQuote(index, quote, { minChars: 1, explain: false }).status === 'verified';
  });
}

/** Half are enough: the document may break the others at line ends. */
function holdsItsWords(text: string, quote: string): boolean {
  const words = [...new Set(quote.match(/[\p{L}\p{N}]{4,}/gu))].sort((a, b) => b.length - a.length).slice(0, LEADING_WORDS);
  return words.filter((word) => text.includes(word)).length * 2 >= words.length;
}
