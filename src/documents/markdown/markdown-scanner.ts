import type { Block } from '../../domain/document.ts';
import {
  atxLevel,
  closesFence,
  continuesParagraph,
  type Fence,
  fenceOf,
  htmlBlockEnd,
  indentOf,
  isPlain,
  isQuote,
  isTableDelimiter,
  isThematicBreak,
  listMarker,
  setextLevel,
  withoutIndent,
} from './markdown-lines.ts';

/** A heading at the top level: its lines, and where they begin. */
export type MarkdownHeading = { readonly level: number; readonly start: number; readonly source: string };

/** A fence or table that is open. `within`: the container's indentation. */
type OpenFence = Fence & { readonly start: number };
type OpenTable = { readonly start: number; readonly headerEnd: number };

const CODE_INDENT = 4;
/** List items in list items on one line; deeper is hostile, and read as text. */
const DEEPEST_MARKER = 20;

/**
 * The block structure of Markdown, line by line as CommonMark and GFM have it: headings at the top level, fenced listings and tables
 * there and in list items. Time grows with the length of the text alone: a full parser needs minutes for some texts of 200 kB.
 */
export class MarkdownScanner {
  readonly headings: MarkdownHeading[] = [];
  readonly blocks: Block[] = [];
  /** Indentation of the content of the open list item, or that a quotation is open. */
  #item: number | null = null;
  /** The item has nothing on its first line: a blank one ends it. */
  #isEmptyItem = false;
  #isQuoted = false;
  #fence: OpenFence | null = null;
  #table: OpenTable | null = null;
  #html: RegExp | null = null;
  /** The lines of the open paragraph, of the innermost container. */
  #paragraph: { readonly start: number; readonly lines: string[] } | null = null;
  #previousStart = 0;
  #lineEnd = 0;
  #previousEnd = 0;

  line(line: string, start: number): void {
    this.#lineEnd = start + line.length;
    this.#take(line, start);
    if (line.trim() !== '') this.#previousEnd = this.#lineEnd;
    this.#previousStart = start;
  }

  finish(): void {
    this.#close();
  }

  #take(line: string, start: number): void {
    const isBlank = line.trim() === '';
    if (this.#isQuoted && this.#takeInQuote(line, isBlank)) return;
    if (this.#item !== null) {
      const isOver = isBlank && this.#isEmptyItem;
      this.#isEmptyItem = false;
      if (!isOver && (isBlank || indentOf(line) >= this.#item)) {
        this.#block(withoutIndent(line, this.#item), start, isBlank);
        return;
      }
      if (!isBlank && this.#paragraph !== null && this.#table === null && continuesParagraph(line)) {
        this.#goOn(line);
        return;
      }
      this.#close();
      this.#item = null;
    }
    this.#block(line, start, isBlank);
  }

  #takeInQuote(line: string, isBlank: boolean): boolean {
    if (isQuote(line)) {
      const rest = line.replace(/^ {0,3}> ?/, '');
      this.#paragraph = rest.trim() !== '' && continuesParagraph(rest) && indentOf(rest) < CODE_INDENT ? { start: 0, lines: [''] } : null;
      return true;
    }
    if (!isBlank && this.#paragraph !== null && continuesParagraph(line)) return true;
    this.#isQuoted = false;
    this.#paragraph = null;
    return false;
  }

  /** A line of the document itself, or of a list item, whose indentation it no longer has. */
  #block(line: string, start: number, isBlank: boolean): void {
    if (this.#fence !== null) {
      if (closesFence(line, this.#fence)) this.#endFence(this.#lineEnd);
    } else if (this.#html !== null) {
      if (this.#html.test(line)) this.#html = null;
    } else if (isBlank) {
      this.#endParagraph();
    } else if (indentOf(line) >= CODE_INDENT) {
      if (this.#paragraph !== null) this.#goOn(line);
    } else {
      this.#begin(line, start);
    }
  }

  #begin(line: string, start: number): void {
    if (isPlain(line)) {
      this.#paragraphLine(line, start);
      return;
    }
    const level = atxLevel(line);
    if (level !== null) {
      this.#heading(level, start, line);
      return;
    }
    if (this.#underline(line)) return;
    const fence = fenceOf(line);
    if (isThematicBreak(line) || fence !== null) {
      this.#endParagraph();
      if (fence !== null) this.#fence = { ...fence, start };
      return;
    }
    if (this.#beginContainer(line, start)) return;
    const html = htmlBlockEnd(line, this.#paragraph !== null);
    if (html !== null) {
      this.#endParagraph();
      this.#html = html.test(line) ? null : html;
    } else this.#paragraphLine(line, start);
  }

  #paragraphLine(line: string, start: number): void {
    if (this.#paragraph === null) this.#paragraph = { start, lines: [line] };
    else this.#goOn(line, false);
  }

  /** Whether the line makes a heading of the paragraph above it, apart from the link definitions that this begins with. */
  #underline(line: string): boolean {
    const level = this.#paragraph !== null && this.#table === null ? setextLevel(line) : null;
    if (level === null || this.#paragraph === null) return false;
    const { start, lines } = this.#paragraph;
    const words = lines.findIndex((text) => !/^ {0,3}\[[^\]]{1,999}\]:/.test(text));
    if (words < 0) return false;
    const before = lines.slice(0, words).reduce((sum, text) => sum + text.length + 1, 0);
    this.#heading(level, start + before, [...lines.slice(words), line].join('\n'));
    return true;
  }

  #beginContainer(line: string, start: number): boolean {
    if (isQuote(line)) {
      this.#endParagraph();
      this.#isQuoted = this.#item === null;
      if (this.#isQuoted) this.#takeInQuote(line, false);
      return true;
    }
    let marker = listMarker(line);
    if (marker === null || (this.#paragraph !== null && !marker.mayInterrupt)) return false;
    this.#endParagraph();
    let rest = line;
    for (let depth = 0; marker !== null && depth < DEEPEST_MARKER; depth += 1) {
      if (this.#item === null) this.#item = marker.contentIndent;
      rest = marker.rest;
      marker = listMarker(rest);
    }
    const fence = fenceOf(rest);
    this.#isEmptyItem = rest.trim() === '';
    if (fence !== null) this.#fence = { ...fence, start };
    else if (rest.trim() !== '' && atxLevel(rest) === null && indentOf(rest) < CODE_INDENT) this.#paragraph = { start, lines: [rest] };
    return true;
  }

  #goOn(line: string, isLazy = true): void {
    const header = this.#paragraph?.lines.at(-1);
    if (!isLazy && this.#table === null && header !== undefined && isTableDelimiter(line, header)) {
      this.#table = { start: this.#previousStart, headerEnd: this.#lineEnd };
    }
    this.#paragraph?.lines.push(line);
  }

  #heading(level: number, start: number, source: string): void {
    const isTopLevel = this.#item === null;
    this.#endParagraph();
    if (isTopLevel) this.headings.push({ level, start, source });
  }

  #endParagraph(): void {
    if (this.#table !== null) this.blocks.push({ kind: 'table', ...this.#table, end: this.#previousEnd });
    this.#table = null;
    this.#paragraph = null;
  }

  #endFence(end: number): void {
    if (this.#fence !== null) this.blocks.push({ kind: 'listing', start: this.#fence.start, end, headerEnd: null });
    this.#fence = null;
  }

  #close(): void {
    this.#endParagraph();
    this.#endFence(this.#previousEnd);
    this.#html = null;
  }
}
