import { describe, expect, test } from 'vitest';
import { BudgetWatch, boundText } from '../../../src/cli/display/budget-text.ts';
import { budgetBounds } from '../../../src/domain/budget-bounds.ts';
import { SAMPLE_USE } from '../sample-run.ts';

test('a bound is told with what is used of it', () => {
  const budget = { ...SAMPLE_USE.budget, activeMs: 45 * 60_000 };
  expect(budgetBounds({ ...SAMPLE_USE, budget, activeMs: 2_470_000 }).map(boundText)).toEqual([
    '$0.74 of $3.00',
    '2.23M of 5.00M tokens',
    '41m10s of 45m00s',
    '$4.20 of $10.00 of group team this month',
  ]);
});

describe('the watch over a budget', () => {
  test('warns once of each bound that most of it is used', () => {
    const watch = new BudgetWatch();
    expect(watch.news(SAMPLE_USE)).toEqual([]);
    const most = { ...SAMPLE_USE, nanoUsd: 2_410_000_000 };
    expect(watch.news(most)).toEqual(['80 % of the budget is used or reserved: $2.41 of $3.00']);
    expect(watch.news(most)).toEqual([]);
    expect(watch.news({ ...most, groupNanoUsd: 9_000_000_000 })).toEqual([
      '90 % of the budget is used or reserved: $9.00 of $10.00 of group team this month',
    ]);
  });

  test('says nothing of a budget of nothing before something is spent, and then no share of it', () => {
    const none = { ...SAMPLE_USE, budget: { ...SAMPLE_USE.budget, nanoUsd: 0 }, nanoUsd: 0 };
    expect(new BudgetWatch().news(none)).toEqual([]);
    expect(new BudgetWatch().news({ ...none, nanoUsd: 1_200_000 })).toEqual([
      'more than all of the budget is used or reserved: $0.0012 of $0.00',
    ]);
  });

  test('has nothing to say without a budget', () => {
    expect(new BudgetWatch().news(null)).toEqual([]);
  });
});
