import type { Block } from '../../domain/document.ts';
import type { FormatContent } from '../content.ts';

/** Stands before the words that follow a line break inside a paragraph. A noncharacter: no text may hold it. */
export const CONTINUES = '\ufdd0';

/**
 * The content with the marks taken out, and as number of each line that of its paragraph (or table row), from 1, as a person counts
 * them in Word, which has no lines.
 */
export function withParagraphNumbers(content: FormatContent): FormatContent {
  const { assembled } = content;
  const marks = marksIn(assembled.text);
  const moved = (offset: number) => offset - marksBefore(marks, offset);
  return {
    ...content,
    assembled: {
      ...assembled,
      text: assembled.text.replaceAll(CONTINUES, ''),
      pages: assembled.pages.map((page) => ({ ...page, start: moved(page.start), end: moved(page.end) })),
      lines: { start: assembled.lines.start.map(moved), number: numbersOf(assembled.text, assembled.lines.start) },
      offsets: assembled.offsets.map(moved),
    },
    headings: content.headings.map((heading) => ({
      ...heading,
      title: heading.title.replaceAll(CONTINUES, ''),
      start: moved(heading.start),
    })),
    blocks: (content.blocks ?? []).map((block) => movedBlock(block, moved)),
  };
}

function movedBlock(block: Block, moved: (offset: number) => number): Block {
  return {
    ...block,
    start: moved(block.start),
    end: moved(block.end),
    headerEnd: block.headerEnd === null ? null : moved(block.headerEnd),
  };
}

function numbersOf(text: string, starts: readonly number[]): readonly number[] {
  let number = 0;
  return starts.map((start) => {
    const isNew = start < text.length && text[start] !== '\n' && text[start] !== CONTINUES;
    if (isNew) number += 1;
    return Math.max(1, number);
  });
}

function marksIn(text: string): readonly number[] {
  const marks: number[] = [];
  for (let at = text.indexOf(CONTINUES); at !== -1; at = text.indexOf(CONTINUES, at + 1)) marks.push(at);
  return marks;
}

/** How many of the ascending places are before `offset`. */
function marksBefore(marks: readonly number[], offset: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
