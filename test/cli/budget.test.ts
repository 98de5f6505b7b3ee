import { expect, test } from 'vitest';
import { settledText } from '../../src/cli/budget.ts';

test('calls of unknown outcome: what was booked, and what was left, on one line', () => {
  const text = (calls: number, nanoUsd: number, unpriced: number) => settledText('r-8kq2', { calls, nanoUsd, unpriced });
  expect(text(2, 120_000_000, 0)).toBe('2 calls of unknown outcome settled at $0.12');
  expect(text(1, 0, 3)).toBe('1 call of unknown outcome settled at $0.00; 3 left because their price is unknown');
  expect(text(0, 0, 3)).toBe('0 calls of unknown outcome settled at $0.00; 3 left because their price is unknown');
  expect(text(0, 0, 0)).toBe('Run r-8kq2 has no call of unknown outcome; nothing was changed.');
});
