import type { Block } from '../domain/document.ts';
import { assemble } from './assemble.ts';
import type { FormatContent } from './content.ts';
import { NORMALISER } from './normalise.ts';
import { notFollowed } from './not-followed.ts';
import type { Heading } from './sections.ts';
import { splitLines } from './split-lines.ts';

/** Delimiters whose content is taken as it is. Comments are no listing. */
const VERBATIM = /^(?:-{4,}|\.{4,}|\+{4,}|\/{4,}|`{3,}\S*|~{3,})$/;
const TABLE = /^[|,:!]={3,}$/;
/** Delimiters of examples, side bars, quotations and open blocks: a heading inside is none of the document's. */
const CONTAINER = /^(?:={4,}|\*{4,}|_{4,}|--)$/;
const HEADING = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/;
const ANCHOR = /^\[\[([^\],]+)(?:,[^\]]*)?\]\]$|^\[(?:[^\]#]*)#([^\],.%]+)[^\]]*\]$/;
const INCLUDE = /^include::(\S.*)\[/;

type Verbatim = {
  readonly delimiter: string;
  readonly start: number;
  readonly kind: 'table' | 'listing' | 'comment';
  headerEnd: number | null;
};

/**
 * Content of AsciiDoc: the source itself, because quotes must match what stands in the file. Sections are the headings outside all
 * blocks, with their anchors; included files are not followed, and the warnings say so.
 */
export function readAsciiDoc(text: string): FormatContent {
  const assembled = assemble(splitLines(text));
  const scanner = new AsciiDocScanner(assembled.text.split('\n'), assembled.lines.start);
  scanner.scan();
  return {
    format: 'asciidoc',
    extractor: `adoc@1+${NORMALISER}`,
    title: scanner.headings.find((heading) => heading.level === 1)?.title ?? null,
    assembled,
    headings: scanner.headings,
    blocks: scanner.blocks,
    warnings: notFollowed('include::', scanner.includes),
  };
}

class AsciiDocScanner {
  readonly headings: Heading[] = [];
  readonly blocks: Block[] = [];
  readonly includes: string[] = [];
  readonly #lines: readonly string[];
  readonly #starts: readonly number[];
  /** Last line that equals a delimiter: what is never closed opens nothing. */
  readonly #lastOf = new Map<string, number>();
  readonly #containers: string[] = [];
  #verbatim: Verbatim | null = null;
  #anchor: string | null = null;
  #attributes = '';

  constructor(lines: readonly string[], starts: readonly number[]) {
    this.#lines = lines;
    this.#starts = starts;
    for (const [index, line] of lines.entries()) if (isDelimiter(line)) this.#lastOf.set(closing(line), index);
  }

  scan(): void {
    for (const [index, line] of this.#lines.entries()) {
      const include = INCLUDE.exec(line)?.[1];
      if (include !== undefined) this.includes.push(include);
      if (this.#verbatim !== null) this.#inVerbatim(this.#verbatim, line, index);
      else this.#outside(line, index);
    }
  }

  #inVerbatim(open: Verbatim, line: string, index: number): void {
    if (closing(line) !== open.delimiter || !isDelimiter(line)) {
      if (open.kind === 'table' && open.headerEnd === null && line !== '') open.headerEnd = this.#endOf(index);
      return;
    }
    this.#verbatim = null;
    if (open.kind === 'comment') return;
    const headerEnd = this.#hasHeader(open) ? open.headerEnd : null;
    this.blocks.push({ kind: open.kind, start: open.start, end: this.#endOf(index), headerEnd });
    this.#attributes = '';
  }

  /** A header row is stated, or has a blank line below it. */
  #hasHeader(table: Verbatim): boolean {
    if (table.kind !== 'table' || table.headerEnd === null) return false;
    if (/%header|options\s*=\s*"?[^"\]]*\bheader/.test(this.#attributes)) return true;
    return this.#lines[this.#lineEndingAt(table.headerEnd) + 1] === '';
  }

  #lineEndingAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #outside(line: string, index: number): void {
    if (isDelimiter(line) && this.#delimiter(line, index)) return;
    const anchor = ANCHOR.exec(line);
    if (line.startsWith('[')) this.#attributes += line;
    if (anchor !== null) this.#anchor = anchor[1] ?? anchor[2] ?? null;
    if (line.startsWith('[') || line.startsWith('.') || line.startsWith('//')) return;
    const heading = HEADING.exec(line);
    if (heading !== null) this.#heading(heading[1]?.length ?? 1, heading[2] ?? '', index);
    if (line === '' && this.#anchor === null) this.#attributes = '';
    if (line === '') return;
    this.#anchor = null;
    this.#attributes = '';
  }

  /** Whether the line opens or closes a block. */
  #delimiter(line: string, index: number): boolean {
    const container = CONTAINER.test(line);
    if (container && this.#containers.includes(line)) {
      this.#containers.length = this.#containers.indexOf(line);
      return true;
    }
    if ((this.#lastOf.get(closing(line)) ?? index) <= index) return false;
    if (container) this.#containers.push(line);
    else this.#verbatim = { delimiter: closing(line), start: this.#starts[index] ?? 0, kind: kindOf(line), headerEnd: null };
    if (container) this.#attributes = '';
    return true;
  }

  #heading(level: number, raw: string, index: number): void {
    if (this.#containers.length > 0 || /^\[(?:discrete|float)\b/m.test(this.#attributes)) return;
    const title = raw.replace(/[ \t]+={1,6}$/, '').trim();
    const anchor = this.#anchor === null ? {} : { anchor: this.#anchor };
    this.headings.push({ title, level, start: this.#starts[index] ?? 0, ...anchor });
  }

  #endOf(index: number): number {
    return (this.#starts[index] ?? 0) + (this.#lines[index] ?? '').length;
  }
}

function isDelimiter(line: string): boolean {
  return VERBATIM.test(line) || TABLE.test(line) || CONTAINER.test(line);
}

/** What closes the block that a delimiter opens: itself, without the language of a listing. */
function closing(line: string): string {
  return line.startsWith('```') ? '```' : line;
}

function kindOf(line: string): Verbatim['kind'] {
  if (TABLE.test(line)) return 'table';
  return line.startsWith('/') ? 'comment' : 'listing';
}
