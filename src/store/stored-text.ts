import type { CanonicalText } from '../domain/document.ts';
import type { DocumentReason } from '../domain/reason.ts';
import type { RunDocument } from './plan-rows.ts';

/** What is stored of a text apart from it and its hash: the same text may have other pages and lines in another file. */
export type Structure = Omit<CanonicalText, 'text' | 'textSha256'>;

/** What a statement selects of a document's content: a text, or an error. */
export type ContentColumns = {
  readonly textSha256: string | null;
  readonly reason: DocumentReason | null;
  readonly message: string | null;
};

/** A document's content, without the text itself. */
export function contentOf({ textSha256, reason, message }: ContentColumns): RunDocument['content'] {
  if (textSha256 !== null) return { ok: true, textSha256 };
  if (reason === null || message === null) throw new Error('A document has neither text nor error');
  return { ok: false, reason, message };
}
