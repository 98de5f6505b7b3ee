import { describe, expect, test } from 'vitest';
import { boundedUsage, costNanoUsd, nanoUsdOf, type Price, type Usage, usdOf, worstCostNanoUsd } from '../../src/domain/money.ts';

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
      { uncachedInput: 99_999_999, output: 99_999_999 },
      { inputPerMTok: 15, outputPerMTok: 75 },
      8_999_999_910_000,
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

describe('a request longer than a tier', () => {
  const tiered: Price = {
    ...PRICE,
    above: [
      { inputTokens: 400_000, inputPerMTok: 4, outputPerMTok: 32 },
      { inputTokens: 200_000, inputPerMTok: 1, cachedInputPerMTok: 0.1, outputPerMTok: 8 },
    ],
  };

  test.each<[string, Partial<Usage>, number]>([
    ['costs the ordinary prices up to the tier', { uncachedInput: 200_000, output: 1000 }, 50_000_000 + 2_000_000],
    ['costs those of the tier for all of its tokens beyond it', { uncachedInput: 200_001, output: 1000 }, 200_001_000 + 8_000_000],
    ['counts what was read from and written to the cache', { cacheRead: 150_000, cacheWrite: 50_001 }, 15_000_000 + 50_001_000],
    ['is not made longer by its answer', { uncachedInput: 1000, output: 500_000 }, 250_000 + 1_000_000_000],
    ['costs those of the highest tier that it exceeds', { uncachedInput: 500_000 }, 2_000_000_000],
  ])('%s', (_, parts, expected) => {
    expect(costNanoUsd(usage(parts), tiered)).toBe(expected);
  });

  test('has the worst case of the dearest tier that it may reach, its input at the dearest rate', () => {
    const worst = (input: number) => worstCostNanoUsd({ price: tiered, maxOutputTokens: 1000 }, input);
    expect([worst(200_000), worst(200_001), worst(400_001)]).toEqual([
      62_500_000 + 2_000_000,
      200_001_000 + 8_000_000,
      1_600_004_000 + 32_000_000,
    ]);
  });

  test('has the worst case of a lower tier where a higher one is cheaper', () => {
    const price: Price = { inputPerMTok: 10, outputPerMTok: 10, above: [{ inputTokens: 10, inputPerMTok: 1, outputPerMTok: 1 }] };
    expect(worstCostNanoUsd({ price, maxOutputTokens: 1 }, 11)).toBe(120_000);
  });
});

test('a worst case is unknown without a price or a longest answer, and nothing for a free model', () => {
  expect([
    worstCostNanoUsd(undefined, 10),
    worstCostNanoUsd({ price: null, maxOutputTokens: 10 }, 10),
    worstCostNanoUsd({ price: PRICE, maxOutputTokens: null }, 10),
    worstCostNanoUsd({ price: 'free', maxOutputTokens: null }, 10),
  ]).toEqual([null, null, null, 0]);
});

test('the sum of the most that 900,000 calls can cost fits a 64-bit integer, and so do their tokens', () => {
  const most = costNanoUsd(usage({ output: 1e30 }), PRICE) ?? 0;
  expect(BigInt(most) * 900_000n).toBeLessThan(2n ** 63n);
  const { uncachedInput = 0 } = boundedUsage(usage({ uncachedInput: Number.POSITIVE_INFINITY })) ?? {};
  expect(BigInt(uncachedInput) * 1_000_000n).toBeLessThan(2n ** 63n);
});

test('counts are whole and none is below 0; what is no number makes all of them unknown', () => {
  expect(boundedUsage(usage({ output: -5, uncachedInput: 1.9, reasoning: 1e30 }))).toEqual(usage({ uncachedInput: 1, reasoning: 1e12 }));
  expect(boundedUsage(usage({ output: Number.NaN }))).toBeNull();
  expect(boundedUsage(JSON.parse('{"uncachedInput":1,"cacheRead":0,"cacheWrite":0,"output":null,"reasoning":0}'))).toBeNull();
  expect(boundedUsage(null)).toBeNull();
});

test.each([0, 0.01, 0.1, 0.29, 3.3, 1_000_000])('USD %d are whole nano-USD and the same USD again', (usd) => {
  expect(Number.isInteger(nanoUsdOf(usd))).toBe(true);
  expect(usdOf(nanoUsdOf(usd))).toBe(usd);
});
