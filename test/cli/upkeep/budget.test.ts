import { expect, test } from 'vitest';
import { settledText } from '../../../src/cli/upkeep/budget.ts';

const NOTHING = { calls: 0, nanoUsd: 0, atWorst: 0, unpriced: 0 };

test('calls of unknown outcome: what was booked, how, and what was left, on one line', () => {
  const text = (change: Partial<typeof NOTHING>) => settledText('r-8kq2', { ...NOTHING, ...change });
  expect(text({ calls: 2, nanoUsd: 120_000_000 })).toBe('2 calls of unknown outcome settled at $0.12');
  expect(text({ calls: 1, unpriced: 3 })).toBe(
    '1 call of unknown outcome settled at $0.00; 3 left because their price is unknown: --at zero books them as free',
  );
  expect(text({ unpriced: 3 })).toBe(
    '0 calls of unknown outcome settled at $0.00; 3 left because their price is unknown: --at zero books them as free',
  );
  expect(text({ calls: 3, nanoUsd: 120_000_000, atWorst: 1 })).toBe(
    '3 calls of unknown outcome settled at $0.12; 1 of them at the most they can cost, for want of a priced call of their model',
  );
  expect(text({})).toBe('Run r-8kq2 has no call of unknown outcome; nothing was changed.');
});
