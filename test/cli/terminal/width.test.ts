import { describe, expect, test } from 'vitest';
import { columnsOf, cut, cutStart, pad } from '../../../src/cli/terminal/width.ts';

describe('columns of text', () => {
  test.each([
    ['plain', 5],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['漢字', 4],
    ['한국', 4],
    ['👩‍💻', 2],
    ['…', 1],
    ['\u001b[31mred\u001b[39m', 3],
    ['', 0],
  ])('%s', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  test('a cut text fits, shows that it was cut, and splits no character', () => {
    expect(cut('specification', 8)).toBe('specifi…');
    expect(cut('spec', 4)).toBe('spec');
    expect(cut('漢字漢字', 5)).toBe('漢字…');
    expect(cut('a👩‍💻b', 2)).toBe('a…');
    expect(cut('abc', 1)).toBe('…');
    expect(cut('abc', 0)).toBe('');
  });

  test('of a name the end is kept', () => {
    expect(cutStart('specs/auth.md:claims:fast', 12)).toBe('…claims:fast');
    expect(cutStart('漢字漢字', 5)).toBe('…漢字');
    expect(cutStart('abc', 3)).toBe('abc');
    expect(cutStart('abc', 0)).toBe('');
  });

  test('padding counts columns, not characters', () => {
    expect(pad('漢', 4)).toBe('漢  ');
    expect(pad('long enough', 3)).toBe('long enough');
  });
});
