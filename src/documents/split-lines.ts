import type { DraftLine } from './assemble.ts';

// What breaks a line: CRLF, LF, CR; vertical tab, form feed, NEL, line and paragraph separator.
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/**
 * Lines of a text file. Only CRLF, LF and CR count for `number`, as in editors and `grep -n`; the other breaks split a line and
 * leave its number. A form feed begins the next page.
 */
export function splitLines(text: string): readonly DraftLine[] {
  const lines: DraftLine[] = [];
  let number = 1;
  let page = 0;
  let from = 0;
  for (const match of text.matchAll(BREAK)) {
    lines.push({ text: text.slice(from, match.index), number, page });
    from = match.index + match[0].length;
    if (match[0] === '\f') page += 1;
    else if (match[0] === '\n' || match[0] === '\r' || match[0] === '\r\n') number += 1;
  }
  lines.push({ text: text.slice(from), number, page });
  return lines;
}
