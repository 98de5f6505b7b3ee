import Table from 'cli-table3';
import { oneLine } from '../../domain/hostile-text.ts';
import { columnsOf, cut, pad } from './width.ts';

export type Column = { readonly title: string; readonly align?: 'left' | 'right' };

const NARROW = 80;
const PADDING = 2;
const SHORTEST_COLUMN = 8;
const LONGEST_CELL = 400;
const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

/**
 * A table of at most `columns` columns as lines, without borders, so that a person, `awk` and `grep` see words only. Cells are made
 * harmless here, whatever they hold. Where a table that is narrower than 80 columns does not fit as it is, each row becomes a block of
 * `title: value` lines: a wrapped table cannot be read.
 */
export function tableLines(head: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  const cells = rows.map((row) => head.map((_, index) => oneLine(row[index] ?? '', LONGEST_CELL)));
  const isNarrow = columns < NARROW && widthOf(naturalWidths(head, cells)) > columns;
  return isNarrow ? blocks(head, cells, columns) : grid(head, cells, columns);
}

function blocks(head: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  const titleWidth = Math.max(0, ...head.map((column) => columnsOf(column.title))) + 2;
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...head.map((column, at) => pad(`${column.title}:`, titleWidth) + cut(row[at] ?? '', columns - titleWidth)),
  ]);
}

function grid(head: readonly Column[], rows: readonly (readonly string[])[], columns: number): string[] {
  const widths = fittedWidths(head, rows, columns);
  const table = new Table({
    head: head.map((column, index) => cut(column.title, widths[index] ?? 0)),
    colAligns: head.map((column) => column.align ?? 'left'),
    // cli-table3 colours heads and borders even into a pipe and under NO_COLOR.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': PADDING },
    colWidths: widths.map((width) => width + PADDING),
    chars: NO_BORDERS,
  });
  for (const row of rows) table.push(row.map((cell, index) => cut(cell, widths[index] ?? 0)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** Of a line whose last column is not filled up. */
function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + PADDING, -PADDING);
}

function naturalWidths(head: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return head.map((column, index) => Math.max(columnsOf(column.title), ...rows.map((row) => columnsOf(row[index] ?? ''))));
}

/** Natural widths, the widest columns shortened until the row fits. */
function fittedWidths(head: readonly Column[], rows: readonly (readonly string[])[], columns: number): number[] {
  const widths = naturalWidths(head, rows);
  let excess = widthOf(widths) - columns;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= SHORTEST_COLUMN) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
