import { describe, expect, test } from 'vitest';
import { tableLines } from '../../../src/cli/terminal/table.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';

const HEAD = [{ title: 'MODEL' }, { title: 'DONE', align: 'right' as const }, { title: 'NOTE' }];
const ROWS = [
  ['fast', '156/210', 'a long note '.repeat(20)],
  ['漢字', '75/210', 'short'],
];

describe('a table', () => {
  test('has words only: no borders, no colour, numbers on the right', () => {
    expect(
      tableLines(
        HEAD,
        [
          ['fast', '156/210', 'x'],
          ['local', '7/8', 'y'],
        ],
        100,
      ),
    ).toEqual(['MODEL     DONE  NOTE', 'fast   156/210  x', 'local      7/8  y']);
  });

  test.each([80, 100, 200])('no line is wider than %i columns', (columns) => {
    for (const line of tableLines(HEAD, ROWS, columns)) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  test('that fits is a table also below 80 columns', () => {
    const rows = [['fast', '7/8', 'x'.repeat(40)]];
    expect(tableLines(HEAD, rows, 53)).toEqual(['MODEL  DONE  NOTE', `fast    7/8  ${'x'.repeat(40)}`]);
    expect(tableLines(HEAD, rows, 52).slice(0, 1)).toEqual(['MODEL: fast']);
  });

  test('that does not fit is a block for each row below 80 columns', () => {
    expect(tableLines(HEAD, ROWS, 30)).toEqual([
      'MODEL: fast',
      'DONE:  156/210',
      'NOTE:  a long note a long not…',
      '',
      'MODEL: 漢字',
      'DONE:  75/210',
      'NOTE:  short',
    ]);
  });

  test('a cell cannot command the terminal or break the row', () => {
    const [, row] = tableLines([{ title: 'NAME' }, { title: 'B' }], [['a\u001b]0;t\u0007\nb\u202e', 'x']], 80);
    expect(row).toBe('a b   x');
  });
});
