import type { Block } from '../../domain/document.ts';

/** A table or preformatted text, by the lines of the page. `endLine` and `headerEndLine` are exclusive. */
export type LineBlock = Pick<Block, 'kind'> & {
  readonly startLine: number;
  readonly endLine: number;
  readonly headerEndLine: number | null;
};

/** Collects the outermost tables and listings of a page. */
export class BlockRecorder {
  readonly blocks: LineBlock[] = [];
  #open: { readonly startLine: number; readonly kind: Block['kind'] } | null = null;
  #depth = 0;
  #headerEndLine: number | null = null;
  #isInHeader = true;

  begin(kind: Block['kind'], line: number): void {
    this.#depth += 1;
    if (this.#open !== null) return;
    this.#open = { startLine: line, kind };
    this.#headerEndLine = null;
    this.#isInHeader = true;
  }

  /** A row of the open table has ended before `line`. The first rows that are headers are the header. */
  row(isHeader: boolean, line: number): void {
    this.#isInHeader &&= isHeader;
    if (this.#isInHeader) this.#headerEndLine = line;
  }

  end(line: number): void {
    this.#depth -= 1;
    if (this.#depth > 0 || this.#open === null) return;
    const headerEndLine = this.#headerEndLine === line ? null : this.#headerEndLine;
    if (line > this.#open.startLine) this.blocks.push({ ...this.#open, endLine: line, headerEndLine });
    this.#open = null;
  }
}

/** The blocks of lines, as spans of the text that the lines begin at `offsets` of. */
export function blocksOf(blocks: readonly LineBlock[], text: string, offsets: readonly number[]): readonly Block[] {
  const startOf = (line: number): number => offsets[line] ?? text.length;
  const endOf = (line: number): number => {
    let end = startOf(line);
    while (text[end - 1] === '\n') end -= 1;
    return end;
  };
  return blocks
    .map(({ kind, startLine, endLine, headerEndLine }) => ({
      kind,
      start: startOf(startLine),
      end: endOf(endLine),
      headerEnd: headerEndLine === null ? null : endOf(headerEndLine),
    }))
    .filter(({ start, end }) => end > start);
}
