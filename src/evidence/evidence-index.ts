import type { CanonicalText } from '../domain/document.ts';
import { markdownMarks } from './match/markdown-marks.ts';
import { type MatchForm, squeeze } from './match/match-form.ts';

/** What quotes are looked up in: a document and its match form. Immutable; built once per document. */
export type EvidenceIndex = {
  readonly content: CanonicalText;
  readonly form: MatchForm;
  /** Marks of Markdown that the match form leaves out; see `markdownMarks`. */
  readonly marks: Uint8Array | null;
  /** The match form's text in lower case, unit by unit, so that offsets stay. Made at the first call. */
  readonly lowerCase: () => string;
};

/** The index of a document: linear in its length, 12 bytes and one form per character. */
export function createEvidenceIndex(content: CanonicalText): EvidenceIndex {
  const marks = content.format === 'markdown' ? markdownMarks(content.text) : null;
  const form = squeeze(content.text, marks);
  let lower: string | null = null;
  return {
    content,
    form,
    marks,
    lowerCase: () => {
      lower ??= lowerCaseOf(form.text);
      return lower;
    },
  };
}

/** Lower case with the length kept: a character whose lower case is longer stays as it is. */
export function lowerCaseOf(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const small = character.toLowerCase();
    return small.length === character.length ? small : character;
  }).join('');
}
