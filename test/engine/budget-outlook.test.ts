import { expect, test } from 'vitest';
import type { Budget } from '../../src/domain/budget.ts';
import { budgetOutlook, exceeds, NOTHING_USED } from '../../src/engine/budget-outlook.ts';
import type { Estimate } from '../../src/engine/plan-cost.ts';

const NONE: Budget = { nanoUsd: null, tokens: null, activeMs: null, warnAt: 0.8, group: null };
const ESTIMATE: Estimate = {
  inputTokens: 1000,
  maxInputTokens: 3000,
  outputTokens: 50,
  maxOutputTokens: 100,
  expectedNanoUsd: 7,
  worstNanoUsd: 9,
};

test('every stated bound is looked at, with what counts against it already', () => {
  const budget: Budget = { ...NONE, nanoUsd: 10, tokens: 5000, activeMs: 1, group: { name: 'team', nanoUsd: 100, per: 'month' } };
  expect(budgetOutlook(budget, ESTIMATE, { nanoUsd: 1, tokens: 2, groupNanoUsd: 3 })).toEqual([
    { bound: 'usd', limit: 10, used: 1, expected: 7, worst: 9 },
    { bound: 'tokens', limit: 5000, used: 2, expected: 1050, worst: 3100 },
    { bound: 'group', limit: 100, used: 3, expected: 7, worst: 9 },
  ]);
});

test('nothing is looked at without a budget, or with one in minutes', () => {
  expect([budgetOutlook(null, ESTIMATE, NOTHING_USED), budgetOutlook({ ...NONE, activeMs: 1 }, ESTIMATE, NOTHING_USED)]).toEqual([[], []]);
});

test.each([
  ['just fits', 3, 7, false],
  ['is too much by one', 4, 7, true],
  ['is unknown', 4, null, false],
  ['is nothing, of a budget that is used up', 11, 0, false],
])('what %s exceeds: %s used, %s more: %s', (_, used, amount, expected) => {
  expect(exceeds({ bound: 'usd', limit: 10, used, expected: amount, worst: null }, amount)).toBe(expected);
});
