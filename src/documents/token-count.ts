import { estimateCount, maxTokensOf, type TokenCount } from './tokens.ts';

/** Counts the tokens of one text. */
export type TokenCounter = (text: string) => Promise<TokenCount>;

/** Of fewer characters, loading the tokenizer (0.3 s and 60 MB a thread) costs more than its precision is worth. */
const LEAST_COUNTED = 16_384;
/** Two million tokens and more: no model takes them, and a hostile text could cost minutes. */
const MOST_COUNTED = 8_000_000;

/**
 * A counter for one thread of the pool: blocking, so never the main one. The tokenizer is loaded when a text first needs it; short
 * and huge texts are estimated. It depends on the text alone which, so that a document has the same count in every run.
 */
export function createTokenCounter(): TokenCounter {
  return async (text) => {
    if (text.length < LEAST_COUNTED || text.length > MOST_COUNTED) return estimateCount(text);
    const tokens = await countTokens(text);
    return { tokens, maxTokens: maxTokensOf(text, tokens) };
  };
}

/**
 * Letters, signs, white space, and line ends with slashes, 257 of a kind in a row: a tokenizer takes each such run as one piece, and its
 * time grows with the square of the piece. Text extracted from PDF has them.
 */
const ENDLESS = /[\p{L}\p{M}]{257,}|[^\s\p{L}\p{N}]{257,}|\s{257,}|[\r\n/]{257,}/gu;

/** Where such runs can be at all: found in a tenth of the time. */
const SUSPECT = /[^\s0-9]{257,}|[\s/]{257,}/g;

/** o200k tokens of a text, in time proportional to its length: endless runs are estimated. What looks like a special token is text. */
export async function countTokens(text: string): Promise<number> {
  const o200k = await import('gpt-tokenizer/encoding/o200k_base');
  let inRuns = 0;
  const cut = (run: string): string => {
    inRuns += tokensOfRun(run);
    return ' ';
  };
  const rest = text.replace(SUSPECT, (part) => part.replace(ENDLESS, cut));
  const counted = o200k.countTokens(rest, { disallowedSpecial: new Set() });
  // Its pieces would keep the document in memory.
  o200k.clearMergeCache();
  return counted + inRuns;
}

const ASCII_PER_TOKEN = 2;
const REPEATED_PER_TOKEN = 8;

/** White space, or one sign or ASCII letter over and over. */
const REPEATED = /^(?:\s+|([A-Za-z]|[^\p{L}])\1*)$/u;

function tokensOfRun(run: string): number {
  if (REPEATED.test(run)) return Math.ceil(run.length / REPEATED_PER_TOKEN);
  const ascii = run.replace(/\P{ASCII}/gu, '').length;
  return Math.ceil(ascii / ASCII_PER_TOKEN) + run.length - ascii;
}
