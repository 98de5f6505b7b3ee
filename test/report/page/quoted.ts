import { type CanonicalText, positionOf } from '../../../src/domain/document.ts';
import type { Evidence, Finding } from '../../../src/domain/score.ts';

/** A text as documents have it: one section per line that starts with `#`. */
export function canonical(text: string): CanonicalText {
  const start = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) start.push(at + 1);
  const headings = start.filter((at) => text.startsWith('# ', at));
  return {
    format: 'markdown',
    extractor: 'md@1+norm:1',
    title: null,
    text,
    textSha256: 't'.repeat(64),
    pages: [],
    sections: headings.map((at, index) => ({
      start: at,
      end: headings[index + 1] ?? text.length,
      level: 1,
      title: text.slice(at + 2, text.indexOf('\n', at)),
    })),
    blocks: [],
    lostPages: [],
    lines: { start, number: start.map((_, index) => index + 1) },
    warnings: [],
  };
}

/** A quote that stands in the text, at its place; `over` says what it is worth. */
export function found(content: CanonicalText, words: string, over: Partial<Evidence> = {}, quote = words): Finding {
  const start = content.text.indexOf(words);
  if (start < 0) throw new Error(`the sample has no ${JSON.stringify(words)}`);
  const end = start + words.length;
  return {
    at: '/findings/0/quote',
    quote,
    evidence: {
      status: 'verified',
      tier: 'verbatim',
      reason: null,
      diff: null,
      occurrences: 1,
      position: positionOf(content, start, end),
      text: words,
      ...over,
    },
    pageClaimed: null,
    pageCorrected: false,
  };
}

/** A quote that stands nowhere. */
export function missing(quote: string, over: Partial<Evidence> = {}): Finding {
  return {
    at: '/findings/1/quote',
    quote,
    evidence: {
      status: 'rejected',
      tier: null,
      reason: 'not_found',
      diff: null,
      occurrences: 0,
      position: null,
      text: null,
      ...over,
    },
    pageClaimed: null,
    pageCorrected: false,
  };
}
