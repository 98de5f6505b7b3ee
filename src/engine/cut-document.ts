import { chunkText, type PartRule } from '../documents/chunk/chunk-text.ts';
import { tokensBetween } from '../documents/stretches.ts';
import { estimateCount, maxTokensOf, type TokenCount } from '../documents/tokens.ts';
import type { CountedDocument, CountedPart } from './planned-prompt.ts';

/** Cuts a document by a rule. */
export type CutDocument = (rule: PartRule) => readonly CountedPart[];

/** Cuts one document; once for each rule, however many models and tasks have it. */
export function createCutter({ content: whole, tokens: count }: CountedDocument): CutDocument {
  const known = new Map<string, readonly CountedPart[]>();
  let between: ReturnType<typeof tokensBetween> | null = null;
  return (rule) => {
    const name = `${rule.by} ${rule.maxTokens} ${rule.overlap}`;
    between ??= tokensBetween(whole.text, count);
    const parts = known.get(name) ?? cut(rule, between);
    known.set(name, parts);
    return parts;
  };

  function cut(rule: PartRule, tokensOf: ReturnType<typeof tokensBetween>): CountedPart[] {
    const parts = chunkText(whole, rule, (stretch, start) => tokensOf(start, start + stretch.length));
    return parts.map((part) => {
      const text = whole.text.slice(part.start, part.end);
      const tokens = Math.ceil(tokensOf(part.start, part.end));
      return { part, tokens: { tokens, maxTokens: most(text, tokens, count) } };
    });
  }
}

/** What was only estimated may be more. */
function most(text: string, tokens: number, { stretches }: TokenCount): number {
  return Math.max(maxTokensOf(text, tokens), stretches === undefined ? estimateCount(text).maxTokens : 0);
}
