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
    const watch = new BudgetWatch(SAMPLE_USE.budget);
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
    expect(new BudgetWatch(none.budget).news(none)).toEqual([]);
    expect(new BudgetWatch(none.budget).news({ ...none, nanoUsd: 1_200_000 })).toEqual([
      'more than all of the budget is used or reserved: $0.0012 of $0.00',
    ]);
  });

  test('has nothing to say without a budget', () => {
    expect(new BudgetWatch(null).news(null)).toEqual([]);
  });

  test('tells once of each bound that another start changed, made or took away, and warns of the new one', () => {
    const { budget } = SAMPLE_USE;
    const watch = new BudgetWatch(budget);
    const raised = { ...SAMPLE_USE, nanoUsd: 2_900_000_000, budget: { ...budget, nanoUsd: 4_000_000_000 } };
    expect(watch.news(raised)).toEqual(['another start changed budget.usd of this run from $3.00 to $4.00']);
    expect(watch.news(raised)).toEqual([]);
    const lowered = { ...raised, budget: { ...budget, tokens: null, activeMs: 60_000 } };
    expect(watch.news(lowered)).toEqual([
      'another start changed budget.usd of this run from $4.00 to $3.00',
      'another start changed budget.tokens of this run from 5.00M to none',
      'another start changed budget.minutes of this run from none to 1m00s',
      '96 % of the budget is used or reserved: $2.90 of $3.00',
    ]);
    expect(watch.news(null)).toContain('another start changed budget.usd of this run from $3.00 to none');
    expect(new BudgetWatch(null).news(SAMPLE_USE)).toContain('another start changed budget.group of this run from none to $10.00');
  });
});
