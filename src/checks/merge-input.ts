import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText, Span } from '../domain/document.ts';
import type { CheckSpec, MergeRule } from '../domain/manifest/resolved.ts';

/** What was answered about one part of a document. */
export type PartAnswer = { readonly part: Span; readonly answer: Json };

/** The answers about the parts of a document, and how they become one. */
export type MergeInput = {
  readonly document: CanonicalText;
  /** In the order of the parts. */
  readonly parts: readonly PartAnswer[];
  readonly rule: Pick<MergeRule, 'array' | 'dedupe'>;
  /** Their `evidence` checks say where quotes stand. */
  readonly checks: readonly CheckSpec[];
};
