import { describe, expect, test } from 'vitest';
import { costNanoUsd, type Price, type Usage, usdOf } from '../../src/domain/money.ts';

const PRICE: Price = { inputPerMTok: 0.25, cachedInputPerMTok: 0.025, cacheWritePerMTok: 0.3125, outputPerMTok: 2 };

function usage(parts: Partial<Usage>): Usage {
  return { uncachedInput: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, ...parts };
}

describe('the cost of a call', () => {
  test.each<[string, Partial<Usage>, Price | 'free' | null, number | null]>([
    [
      'adds each kind of token at its price',
      { uncachedInput: 1000, cacheRead: 1000, cacheWrite: 1000, output: 1000 },
      PRICE,
      250_000 + 25_000 + 312_500 + 2_000_000,
    ],
    ['is exact below a nano-dollar per token', { cacheRead: 15 }, PRICE, 375],
    [
      'is rounded up once, not per kind',
      { uncachedInput: 1, cacheRead: 1, output: 1 },
      { ...PRICE, inputPerMTok: 0.0001, cachedInputPerMTok: 0.0001, outputPerMTok: 0.0001 },
      1,
    ],
    ['of one token at the smallest price is not nothing', { output: 1 }, { inputPerMTok: 0, outputPerMTok: 0.000001 }, 1],
    ['does not stumble over decimal fractions', { uncachedInput: 3 }, { inputPerMTok: 0.1, outputPerMTok: 0 }, 300],
    ['takes the input price where no other is stated', { cacheRead: 10, cacheWrite: 10 }, { inputPerMTok: 1, outputPerMTok: 5 }, 20_000],
    ['does not count reasoning twice', { output: 100, reasoning: 90 }, PRICE, 200_000],
    [
      'of big numbers is exact',
      { uncachedInput: 999_999_999, output: 999_999_999 },
      { inputPerMTok: 15, outputPerMTok: 75 },
      89_999_999_910_000,
    ],
    ['of no tokens is nothing', {}, PRICE, 0],
    ['of negative counts is nothing', { output: -5 }, PRICE, 0],
    ['is nothing when the model is free', { output: 1000 }, 'free', 0],
    ['is unknown without a price', { output: 1000 }, null, null],
  ])('%s', (_, parts, price, expected) => {
    expect(costNanoUsd(usage(parts), price)).toBe(expected);
  });

  test('adds up over ten thousand small calls without drift', () => {
    const one = costNanoUsd(usage({ cacheRead: 15 }), PRICE) ?? 0;
    const sum = Array.from({ length: 10_000 }, () => one).reduce((total, cost) => total + cost, 0);
    expect(usdOf(sum)).toBe(0.00375);
  });
});
