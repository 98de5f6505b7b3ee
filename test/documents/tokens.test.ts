import { expect, test } from 'vitest';
import { estimateTokens } from '../../src/documents/tokens.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['abc', 1],
  ['abcd', 2],
  ['x'.repeat(3000), 1000],
  ['한', 1],
  ['한국어', 3],
])('%j is estimated from its UTF-8 bytes, rounded up', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
