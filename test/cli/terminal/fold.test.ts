import { describe, expect, test } from 'vitest';
import { folded } from '../../../src/cli/terminal/fold.ts';
import { columnsOf } from '../../../src/cli/terminal/width.ts';

describe('folded text', () => {
  test('keeps every word, in lines that fit', () => {
    expect(folded('one two  three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(folded('short', 9)).toEqual(['short']);
    expect(folded('', 9)).toEqual(['']);
  });

  test('breaks what has no blanks between characters, wide ones by their width', () => {
    expect(folded(`a ${'x'.repeat(20)} b`, 8)).toEqual(['a', 'xxxxxxxx', 'xxxxxxxx', 'xxxx b']);
    const lines = folded('这是一个没有空格的很长的句子', 8);
    expect(lines.join('')).toBe('这是一个没有空格的很长的句子');
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(8);
  });

  test('lets no line command a build log, wherever it breaks', () => {
    expect(folded('0123456789 ::error::x', 10)).toEqual(['0123456789', '：:error::x']);
  });

  test('takes time in proportion to the text', () => {
    expect(folded('x'.repeat(200_000), 80)).toHaveLength(2500);
  });
});
