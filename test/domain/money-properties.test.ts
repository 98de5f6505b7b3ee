import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costNanoUsd, type Price, type UnitPrices, type Usage, worstCostNanoUsd } from '../../src/domain/money.ts';

/** Prices as people write them: up to 6 decimals. */
const usd = fc.integer({ min: 0, max: 100_000_000 }).map((millionths) => millionths / 1e6);
const maybe = fc.option(usd, { nil: undefined });
const units: fc.Arbitrary<UnitPrices> = fc.record({
  inputPerMTok: usd,
  cachedInputPerMTok: maybe,
  cacheWritePerMTok: maybe,
  outputPerMTok: usd,
});
const tokens = fc.integer({ min: 0, max: 2_000_000 });
const tiers = fc.array(fc.tuple(units, tokens), { maxLength: 3 });
const price: fc.Arbitrary<Price> = fc.tuple(units, tiers).map(([base, above]) => ({
  ...base,
  above: above.map(([prices, inputTokens]) => ({ ...prices, inputTokens })),
}));
const usage: fc.Arbitrary<Usage> = fc.record({
  uncachedInput: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  output: tokens,
  reasoning: tokens,
});

function inputOf({ uncachedInput, cacheRead, cacheWrite }: Usage): number {
  return uncachedInput + cacheRead + cacheWrite;
}

/** The same sum in millionths of a nano-USD per token, with nothing but BigInt. */
function exact(spent: Usage, { above = [], ...base }: Price): bigint {
  let prices: UnitPrices = base;
  for (const tier of [...above].sort((a, b) => a.inputTokens - b.inputTokens)) if (inputOf(spent) > tier.inputTokens) prices = tier;
  const per = (count: number, value: number) => BigInt(count) * BigInt(Math.round(value * 1e6));
  const pico =
    per(spent.uncachedInput, prices.inputPerMTok) +
    per(spent.cacheRead, prices.cachedInputPerMTok ?? prices.inputPerMTok) +
    per(spent.cacheWrite, prices.cacheWritePerMTok ?? prices.inputPerMTok) +
    per(spent.output, prices.outputPerMTok);
  return pico % 1000n === 0n ? pico / 1000n : pico / 1000n + 1n;
}

/** Two tiers of one beginning say two things of the same request. */
function isClear({ above = [] }: Price): boolean {
  return new Set(above.map(({ inputTokens }) => inputTokens)).size === above.length;
}

test('a cost is exact, whatever the usage, the prices and their tiers, and rounded up once', () => {
  fc.assert(
    fc.property(usage, price.filter(isClear), (spent, prices) => {
      expect(BigInt(costNanoUsd(spent, prices) ?? -1)).toBe(exact(spent, prices));
    }),
  );
});

test('no call within its bounds costs more than its worst case, however its input is read or written', () => {
  fc.assert(
    fc.property(usage, price, tokens, tokens, (spent, prices, moreInput, moreOutput) => {
      const rate = { price: prices, maxOutputTokens: spent.output + moreOutput };
      const worst = worstCostNanoUsd(rate, inputOf(spent) + moreInput) ?? -1;
      expect(worst).toBeGreaterThanOrEqual(costNanoUsd(spent, prices) ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test('within one tier more of anything never costs less', () => {
  fc.assert(
    fc.property(usage, usage, units, (one, other, prices) => {
      const both = {
        uncachedInput: one.uncachedInput + other.uncachedInput,
        cacheRead: one.cacheRead + other.cacheRead,
        cacheWrite: one.cacheWrite + other.cacheWrite,
        output: one.output + other.output,
        reasoning: 0,
      };
      expect(costNanoUsd(both, prices)).toBeGreaterThanOrEqual(costNanoUsd(one, prices) ?? Number.POSITIVE_INFINITY);
    }),
  );
});

test('a worst case never falls when more may be sent or answered', () => {
  fc.assert(
    fc.property(price, tokens, tokens, tokens, tokens, (prices, input, moreInput, output, moreOutput) => {
      const less = worstCostNanoUsd({ price: prices, maxOutputTokens: output }, input) ?? Number.POSITIVE_INFINITY;
      const more = worstCostNanoUsd({ price: prices, maxOutputTokens: output + moreOutput }, input + moreInput) ?? -1;
      expect(more).toBeGreaterThanOrEqual(less);
    }),
  );
});
