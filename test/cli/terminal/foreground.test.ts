import { expect, test } from 'vitest';
import { isForeground } from '../../../src/cli/terminal/foreground.ts';

const REST = ' 4194304 1 2 3';

test.each([
  ['the group that the terminal is for', `7 (node) S 1 7 5 34816 7${REST}`, true],
  ['a background job', `7 (node) S 1 7 5 34816 5${REST}`, false],
  ['no terminal', `7 (node) S 1 7 5 0 -1${REST}`, true],
  ['a name with blanks and brackets', `7 (a) 9 (b c) S 1 7 5 34816 5${REST}`, false],
  ['nothing of that kind', '', true],
])('%s', (_, stat, expected) => {
  expect(isForeground(stat)).toBe(expected);
});
