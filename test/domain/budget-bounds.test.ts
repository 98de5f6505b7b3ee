import { describe, expect, test } from 'vitest';
import type { BudgetUse } from '../../src/domain/budget.ts';
import { budgetBounds, nearBounds, roundedUpUsd } from '../../src/domain/budget-bounds.ts';

const USE: BudgetUse = {
  budget: { nanoUsd: 100, tokens: null, activeMs: 1000, warnAt: 0.8, group: { name: 'team', nanoUsd: 500, per: 'month' } },
  nanoUsd: 80,
  tokens: 7,
  activeMs: 799,
  groupNanoUsd: 100,
  inFlight: false,
};

describe('the bounds of a budget', () => {
  test('are those that it states, each with what counts against it', () => {
    expect(budgetBounds(USE)).toEqual([
      { kind: 'budget_usd', used: 80, limit: 100, group: null },
      { kind: 'budget_minutes', used: 799, limit: 1000, group: null },
      { kind: 'budget_group', used: 100, limit: 500, group: USE.budget.group },
    ]);
  });

  test('are near from the stated share on', () => {
    expect(nearBounds(USE).map(({ kind }) => kind)).toEqual(['budget_usd']);
    expect(nearBounds({ ...USE, activeMs: 800 }).map(({ kind }) => kind)).toEqual(['budget_usd', 'budget_minutes']);
  });
});

test.each([
  [3, 3],
  [2.301, 2.4],
  [0.0461, 0.047],
  [999, 1000],
  [0, 1],
  [0.000_31, 0.000_31],
])('$%d in two digits, rounded up, is $%d', (usd, round) => {
  expect(roundedUpUsd(usd)).toBe(round);
});
