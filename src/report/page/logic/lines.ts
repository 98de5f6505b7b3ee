import type { ReportDocument } from '../../html/report-data.ts';
import type { Mark } from './highlight.ts';

/** A line of an excerpt; offsets in the whole, without the line feed. */
export type DocumentLine = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly number: number | null;
  readonly page: number | null;
};

type Excerpt = ReportDocument['excerpts'][number];

/** The lines with the numbers that evidence gives them. */
export function linesOf({ start, text, line, page, jumps = [] }: Excerpt): DocumentLine[] {
  const jumpAt = new Map(jumps.map((jump) => [jump.at, jump]));
  const lines: DocumentLine[] = [];
  let at = start;
  let number = line;
  let onPage = page;
  for (const content of text.split('\n')) {
    const jump = jumpAt.get(at);
    if (jump !== undefined) [number, onPage] = [jump.line, jump.page];
    lines.push({ start: at, end: at + content.length, text: content, number, page: onPage });
    at += content.length + 1;
    if (number !== null) number += 1;
  }
  // What follows the last line feed is the next excerpt's, or nothing.
  if (lines.length > 1 && text.endsWith('\n')) lines.pop();
  return lines;
}

/** Lines `[first, last)`, shown or folded away. */
export type Stretch = { readonly first: number; readonly last: number; readonly folded: boolean };

const CONTEXT_LINES = 15;
const LINES_WITHOUT_MARK = 40;
const SHORTEST_FOLD = 4;
const MOST_LINES = 1200;

/** What to show at first: lines about where marks begin and end; at most `MOST_LINES`. */
export function foldLines(lines: readonly DocumentLine[], marks: readonly Mark[]): Stretch[] {
  const shown = new Array<boolean>(lines.length).fill(false);
  let budget = MOST_LINES;
  const show = (from: number, to: number): void => {
    for (let index = Math.max(0, from); index < Math.min(lines.length, to) && budget > 0; index += 1) {
      if (shown[index] === false) budget -= 1;
      shown[index] = true;
    }
  };
  for (const mark of marks) {
    for (const offset of [mark.start, mark.end - 1]) {
      const index = lineAt(lines, offset);
      if (index >= 0) show(index - CONTEXT_LINES, index + CONTEXT_LINES + 1);
    }
  }
  if (!shown.includes(true)) show(0, LINES_WITHOUT_MARK);
  return stretches(shown);
}

function stretches(shown: readonly boolean[]): Stretch[] {
  const found: { first: number; last: number; folded: boolean }[] = [];
  shown.forEach((isShown, index) => {
    const last = found.at(-1);
    if (last !== undefined && last.folded === !isShown) last.last = index + 1;
    else found.push({ first: index, last: index + 1, folded: !isShown });
  });
  const whole = found.map((stretch) => ({ ...stretch, folded: stretch.folded && stretch.last - stretch.first >= SHORTEST_FOLD }));
  return whole;
}

/** Index of the line that holds the offset; -1 outside. */
export function lineAt(lines: readonly DocumentLine[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const line = lines[middle];
    if (line === undefined) return -1;
    if (offset < line.start) high = middle - 1;
    else if (offset > line.end) low = middle + 1;
    else return middle;
  }
  return -1;
}
