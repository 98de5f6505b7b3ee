import { oneLine } from '../../domain/hostile-text.ts';

const LONGEST_TEXT = 400;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** What may not stand in an HTML file, however it is written. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Text of a document, a model or a user, on one line, shortened, without anything invisible. Not yet escaped. */
export function shown(text: string): string {
  return oneLine(text, LONGEST_TEXT);
}

/** The same as text of an HTML file, between tags or quotation marks. */
export function escaped(text: string): string {
  return escapedHtml(shown(text));
}

/** A text in full, of which nothing can be markup. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replace(FORBIDDEN, '\ufffd');
}
