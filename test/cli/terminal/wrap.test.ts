import { expect, test } from 'vitest';
import { wrapped } from '../../../src/cli/terminal/wrap.ts';

test('a line is broken at blanks, indented after the first, and otherwise left as it is', () => {
  expect(wrapped(' budget: $0.74 of $3.00 · 2.23M of 5.00M tokens', 30)).toEqual([' budget: $0.74 of $3.00 ·', '   2.23M of 5.00M tokens']);
  expect(wrapped(' 28/40 jobs   ETA ?', 30)).toEqual([' 28/40 jobs   ETA ?']);
  expect(wrapped('', 30)).toEqual(['']);
});

test('a word that is longer than a line is cut', () => {
  expect(wrapped('an extraordinarily long word', 10)).toEqual(['an', '   extrao…', '   long', '   word']);
});
