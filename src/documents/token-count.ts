import { stretchEnds } from './stretches.ts';
import { estimateCount, maxTokensOf, type TokenCount } from './tokens.ts';

/** Counts the tokens of one text. */
export type TokenCounter = (text: string) => Promise<TokenCount>;

/** Of fewer characters, loading the tokenizer (0.3 s and 60 MB a thread) costs more than its precision is worth. */
const LEAST_COUNTED = 4096;
/** So it is with longer ones of plain words. */
const LEAST_PLAIN_COUNTED = 16_384;
/** Two million tokens and more: no model takes them, and a hostile text could cost minutes. */
const MOST_COUNTED = 8_000_000;

/**
 * A counter for one thread of the pool: blocking, so never the main one. The tokenizer is loaded when a text first needs it; huge texts
 * are estimated, and short ones of plain words. It depends on the text alone which, so that a document has the same count in every run.
 */
export function createTokenCounter(): TokenCounter {
  return async (text) => {
    if (text.length > MOST_COUNTED || text.length < (isPlain(text) ? LEAST_PLAIN_COUNTED : LEAST_COUNTED)) return estimateCount(text);
    const stretches = await countStretches(text);
    const tokens = total(stretches);
    return { tokens, maxTokens: maxTokensOf(text, tokens), stretches };
  };
}

/** Of a stretch of prose hardly more is neither a letter nor white space; of contents with leaders, tables and code far more is. */
const MOST_SIGNS = 0.15;
/** How much of a text may be otherwise. */
const MOST_DENSE = 0.1;
const MOST_BEYOND_ASCII = 0.03;

/** Whether an estimate is good enough, of the whole and of its parts. */
function isPlain(text: string): boolean {
  let dense = 0;
  let start = 0;
  for (const end of stretchEnds(text)) {
    if (lengthWithout(text.slice(start, end), /[A-Za-z\s]+/g) > (end - start) * MOST_SIGNS) dense += end - start;
    start = end;
  }
  return dense <= text.length * MOST_DENSE && lengthWithout(text, /\p{ASCII}+/gu) <= text.length * MOST_BEYOND_ASCII;
}

function lengthWithout(text: string, what: RegExp): number {
  return text.replace(what, '').length;
}

/** o200k tokens of a text, in time proportional to its length. */
export async function countTokens(text: string): Promise<number> {
  return total(await countStretches(text));
}

/** Of each stretch. What looks like a special token is text. */
async function countStretches(text: string): Promise<number[]> {
  const o200k = await import('gpt-tokenizer/encoding/o200k_base');
  const options = { disallowedSpecial: new Set<string>() };
  const ends = stretchEnds(text);
  const counts = ends.map((end, index) => o200k.countTokens(text.slice(ends[index - 1] ?? 0, end), options));
  // Its pieces would keep the document in memory.
  o200k.clearMergeCache();
  return counts;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
