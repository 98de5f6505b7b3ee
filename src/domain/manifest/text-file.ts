/** A text with the name it has in messages. Offsets are UTF-16 units into `text`; a byte order mark is left out. */
export type TextFile = { readonly name: string; readonly text: string; readonly lineStarts: readonly number[] };

/** Both from 1; the column in UTF-16 units, as editors count. */
export type LineColumn = { readonly line: number; readonly column: number };

const BYTE_ORDER_MARK = '\uFEFF';

export function textFile(name: string, text: string): TextFile {
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return { name, text: body, lineStarts: [0, ...Array.from(body.matchAll(/\r\n|\r|\n/g), (end) => end.index + end[0].length)] };
}

export function positionAt(file: TextFile, offset: number): LineColumn {
  const after = file.lineStarts.findIndex((start) => start > offset);
  const line = after === -1 ? file.lineStarts.length : after;
  return { line, column: offset - (file.lineStarts[line - 1] ?? 0) + 1 };
}

/** The line of `offset`, with its end. */
export function lineAt(file: TextFile, offset: number): string {
  const { line } = positionAt(file, offset);
  return file.text.slice(file.lineStarts[line - 1], file.lineStarts[line]);
}

/** Shown to the left of the caret, and in all: a minified manifest is one long line. */
const EXCERPT_BEFORE = 60;
const EXCERPT_CHARACTERS = 120;

/** The line of `offset`, cut to what fits a terminal, and below it a caret; `mask` must keep the length. */
export function excerptAt(file: TextFile, offset: number, mask: (line: string) => string): string {
  const { column } = positionAt(file, offset);
  const whole = mask(lineAt(file, offset)).replace(/[\r\n]+$/, '');
  const from = Math.max(0, column - 1 - EXCERPT_BEFORE);
  const shown = whole.slice(from, from + EXCERPT_CHARACTERS).replace(/[^\P{Cc}\t]/gu, '\uFFFD');
  const padding = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ');
  return `${shown}\n${padding}^`;
}
