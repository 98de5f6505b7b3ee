import { expect, test } from 'vitest';
import { callCost } from '../../src/domain/call-cost.ts';

const USAGE = { uncachedInput: 1000, cacheRead: 0, cacheWrite: 0, output: 100, reasoning: 0 };
const STATED = { inputPerMTok: 1, outputPerMTok: 10 };
const LISTED = { ...STATED, listed: true as const };
/** 1000 tokens at $1 and 100 at $10 a million. */
const BY_PRICE = 2_000_000;

test('a call costs what the manifest says, else what its provider says, else what our list says', () => {
  expect(callCost({ usage: USAGE, reportedCostUsd: 0.5 }, { price: STATED })).toBe(BY_PRICE);
  expect(callCost({ usage: USAGE, reportedCostUsd: 0.5 }, { price: LISTED })).toBe(500_000_000);
  expect(callCost({ usage: USAGE, reportedCostUsd: 0.5 }, { price: null })).toBe(500_000_000);
  expect(callCost({ usage: USAGE }, { price: LISTED })).toBe(BY_PRICE);
});

test('what nobody knows is unknown, never nothing', () => {
  expect(callCost({ usage: USAGE }, { price: null })).toBeNull();
  expect(callCost({ usage: null }, { price: STATED })).toBeNull();
  expect(callCost({ usage: null }, { price: LISTED })).toBeNull();
  expect(callCost({ usage: null, reportedCostUsd: 0.5 }, { price: STATED })).toBe(500_000_000);
});

test('a model that is declared free costs nothing, whatever its server says', () => {
  expect(callCost({ usage: null, reportedCostUsd: 0.5 }, { price: 'free' })).toBe(0);
});

test.each([
  [0.000_000_000_1, 1],
  [0.000_000_001, 1],
  [0.000_000_001_5, 2],
  [0.1, 100_000_000],
  [0.000_123, 123_000],
  [1.1, 1_100_000_000],
])('$%d reported is rounded up to %d nano-USD, but not for the dust of a float', (reportedCostUsd, nanoUsd) => {
  expect(callCost({ usage: null, reportedCostUsd }, { price: null })).toBe(nanoUsd);
});

const MOST = 10_000 * 1e9;

test.each([1e30, Number.POSITIVE_INFINITY, 10_000.01])('$%d reported of one call is no more than any call can cost', (reportedCostUsd) => {
  expect(callCost({ usage: null, reportedCostUsd }, { price: null })).toBe(MOST);
});

test.each([1e30, Number.POSITIVE_INFINITY])('%d tokens cost no more than any call can cost', (output) => {
  expect(callCost({ usage: { ...USAGE, output } }, { price: STATED })).toBe(MOST);
});

test('a price beyond all sense costs no more than any call can cost', () => {
  expect(callCost({ usage: USAGE }, { price: { inputPerMTok: 1e300, outputPerMTok: 1e308 } })).toBe(MOST);
});

test('what is no number is unknown, and never nothing', () => {
  expect(callCost({ usage: { ...USAGE, output: Number.NaN } }, { price: STATED })).toBeNull();
  expect(callCost({ usage: null, reportedCostUsd: Number.NaN }, { price: null })).toBeNull();
  expect(callCost({ usage: USAGE, reportedCostUsd: null }, { price: LISTED })).toBe(BY_PRICE);
});
