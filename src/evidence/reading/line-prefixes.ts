import type { Edit } from './reading.ts';

/** `>`, `> >`, `//`, `///`, `//!`: what every line of a quotation, or of a comment, begins with. */
const PREFIX = /\n([^\S\n]{0,16}(?:>(?:[^\S\n]?>){0,4}|\/\/[/!]?)(?![>/!=])[^\S\n]?)/g;

/**
 * What the lines of a block quotation or comment begin with, from its second line on: only where the line before begins in the same way, so
 * that the `>` of "must be\n> 5 V" stays.
 */
export function linePrefixEdits(text: string): Edit[] {
  const edits: Edit[] = [];
  for (const match of text.matchAll(PREFIX)) {
    const prefix = match[1] ?? '';
    const lineStart = text.lastIndexOf('\n', match.index - 1) + 1;
    const start = match.index + 1;
    if (match.index > 0 && hasPrefix(text, lineStart, prefix)) edits.push({ start, end: start + prefix.length, text: '' });
  }
  return edits;
}

/** Whether the line begins with this prefix and nothing more of its kind: a quotation inside a quotation begins anew. */
function hasPrefix(text: string, lineStart: number, prefix: string): boolean {
  const mark = prefix.trimEnd();
  return text.startsWith(mark, lineStart) && !/^[^\S\n]?>/.test(text.slice(lineStart + mark.length, lineStart + mark.length + 2));
}
