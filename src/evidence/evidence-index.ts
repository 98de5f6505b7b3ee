import type { CanonicalText } from '../domain/document.ts';
import { barsOf, bothOf } from './match/cells.ts';
import { markdownMarks } from './match/markdown-marks.ts';
import { type MatchForm, squeeze } from './match/match-form.ts';
import { hasMarkdownMarks, type Reader, readerOf } from './reading/read-as.ts';
import type { Reading } from './reading/reading.ts';

/** What quotes are looked up in: a document, its reading, and the match form of that. Immutable; built once per document. */
export type EvidenceIndex = {
  readonly content: CanonicalText;
  /** The document without marks of LaTeX and AsciiDoc, entities as characters; all offsets of matching are offsets in it. */
  readonly reading: Reading;
  /** Reads a quote as the document is read. */
  readonly read: Reader;
  readonly form: MatchForm;
  /** Marks of Markdown in the reading that the match form leaves out; see `markdownMarks`. */
  readonly marks: Uint8Array | null;
  /** Whether the match form leaves out the bars between the cells of a table. */
  readonly hasTable: boolean;
  /** The match form's text in lower case, unit by unit, so that offsets stay. Made at the first call. */
  readonly lowerCase: () => string;
};

/** The index of a document: linear in its length, 12 bytes and one form per character. */
export function createEvidenceIndex(content: CanonicalText): EvidenceIndex {
  const read = readerOf(content.format, content.text);
  const reading = read(content.text);
  const marks = hasMarkdownMarks(content.format) ? markdownMarks(reading.text) : null;
  const bars = barsOf(content, reading);
  const form = squeeze(reading.text, bothOf(marks, bars));
  let lower: string | null = null;
  return {
    content,
    reading,
    read,
    form,
    marks,
    hasTable: bars !== null,
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
