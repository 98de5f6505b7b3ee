/** What a line of Markdown begins, as CommonMark has it. */
export type Fence = { readonly sign: string; readonly length: number };
export type ListMarker = { readonly contentIndent: number; readonly mayInterrupt: boolean; readonly rest: string };

const TAB_STOP = 4;

/** Columns of white space before the first other character. */
export function indentOf(line: string): number {
  let columns = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === ' ') columns += 1;
    else if (line[index] === '\t') columns += TAB_STOP - (columns % TAB_STOP);
    else break;
  }
  return columns;
}

/** Level of an ATX heading; `null` for another line. */
export function atxLevel(line: string): number | null {
  return /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1]?.length ?? null;
}

/** Level of the heading that a line makes of the paragraph above it. */
export function setextLevel(line: string): number | null {
  const sign = /^ {0,3}(?:(=+)|-+)[ \t]*$/.exec(line);
  if (sign === null) return null;
  return sign[1] === undefined ? 2 : 1;
}

export function isThematicBreak(line: string): boolean {
  return /^ {0,3}[-*_]/.test(line) && /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]+/g, ''));
}

export function fenceOf(line: string): Fence | null {
  const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (marks === undefined) return null;
  const sign = marks[0] ?? '';
  if (sign === '`' && line.includes('`', line.indexOf(marks) + marks.length)) return null;
  return { sign, length: marks.length };
}

export function closesFence(line: string, fence: Fence): boolean {
  const marks = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence.sign && marks.length >= fence.length;
}

export function listMarker(line: string): ListMarker | null {
  const match = /^( {0,3})([-+*]|\d{1,9}[.)])([ \t]*)/.exec(line);
  if (match === null || isThematicBreak(line)) return null;
  const [all, before = '', marker = '', gap = ''] = match;
  const rest = line.slice(all.length);
  if (gap === '' && rest !== '') return null;
  const width = before.length + marker.length;
  const gapColumns = indentOf(line.slice(width));
  const isCode = rest === '' || gapColumns > TAB_STOP;
  const mayInterrupt = rest !== '' && (!/^\d/.test(marker) || Number.parseInt(marker, 10) === 1);
  return {
    contentIndent: width + (isCode ? 1 : gapColumns),
    mayInterrupt,
    rest: isCode ? ' '.repeat(Math.max(0, gapColumns - 1)) + rest : rest,
  };
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** Without as much of its indentation as a list item takes. */
export function withoutIndent(line: string, columns: number): string {
  const rest = line.trimStart();
  return ' '.repeat(Math.max(0, indentOf(line) - columns)) + rest;
}

const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';

const BLANK = /^[ \t]*$/;

/** Start and end of the kinds of HTML blocks; the last kind cannot interrupt a paragraph. */
const HTML_BLOCKS: readonly (readonly [start: RegExp, end: RegExp])[] = [
  [/^ {0,3}<(?:pre|script|style|textarea)(?:[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Za-z]/, />/],
  [new RegExp(`^ {0,3}</?(?:${BLOCK_TAGS})(?:[\\s>]|/>|$)`, 'i'), BLANK],
];
const ANY_TAG_ALONE =
  /^ {0,3}(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*$/;
const LONGEST_TAG = 1000;

/** What ends the HTML block that a line begins; `null` when it begins none. */
export function htmlBlockEnd(line: string, inParagraph: boolean): RegExp | null {
  if (!/^ {0,3}</.test(line)) return null;
  const block = HTML_BLOCKS.find(([start]) => start.test(line));
  if (block !== undefined) return block[1];
  return !inParagraph && line.length <= LONGEST_TAG && ANY_TAG_ALONE.test(line) ? BLANK : null;
}

/** Whether the line begins with a letter, and with it nothing but a paragraph. */
export function isPlain(line: string): boolean {
  return /^[A-Za-z]/.test(line);
}

/** Whether the line goes on with a paragraph even where it is less indented than the paragraph's container. */
export function continuesParagraph(line: string): boolean {
  if (isPlain(line) || indentOf(line) >= TAB_STOP) return true;
  const begins = atxLevel(line) !== null || isThematicBreak(line) || fenceOf(line) !== null || isQuote(line);
  return !begins && listMarker(line) === null && htmlBlockEnd(line, true) === null;
}

/** Whether the line parts the header of a table from its rows, as many columns wide as the header. */
export function isTableDelimiter(line: string, header: string): boolean {
  if (!/^[-:| \t]+$/.test(line) || !line.includes('|')) return false;
  const cells = cellsOf(line);
  return cells.every((cell) => /^:?-+:?$/.test(cell.trim())) && cells.length === cellsOf(header).length;
}

function cellsOf(line: string): readonly string[] {
  const cells = line.trim().replaceAll('\\|', '  ').split('|');
  if (cells.length > 1 && cells[0] === '') cells.shift();
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}
