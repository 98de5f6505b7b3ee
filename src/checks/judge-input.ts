import type { Json } from '../domain/canonical-json.ts';
import type { CanonicalText, Span } from '../domain/document.ts';
import type { CheckSpec } from '../domain/manifest/resolved.ts';

/** Where the item at this JSON pointer of a joined answer came from: the span of the part that was asked. */
export type Origin = { readonly pointer: string; readonly span: Span };

/** An answer, and all that is known of how it came about. */
export type JudgeInput = {
  /** Parsed; a string for `format: "text"`. */
  readonly answer: Json;
  readonly document: CanonicalText;
  readonly checks: readonly CheckSpec[];
  /** What of the document was in prompts. */
  readonly seen: readonly Span[];
  /** Of an answer that was joined from several: which part its items came from. */
  readonly origins: readonly Origin[];
  /** The question's own words: system message and prompt without the document. */
  readonly promptText: string;
  /** By quote, the id of the other document of the run in which it stands. */
  readonly elsewhere: Readonly<Record<string, string>>;
};
