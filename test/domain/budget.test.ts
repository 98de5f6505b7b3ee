import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, type BudgetUse, budgetBlock, monthOf } from '../../src/domain/budget.ts';

const NONE: Budget = { nanoUsd: null, tokens: null, activeMs: null, warnAt: 0.8, group: null };
const GROUP = { name: 'team', nanoUsd: 100, per: 'month' } as const;

function use(budget: Partial<Budget>, changes: Partial<BudgetUse> = {}): BudgetUse {
  return { budget: { ...NONE, ...budget }, nanoUsd: 0, tokens: 0, activeMs: 0, groupNanoUsd: 0, inFlight: false, ...changes };
}

describe('budgetBlock', () => {
  it('lets everything through without a bound', () => {
    expect(budgetBlock(use({}, { nanoUsd: 1e15, tokens: 1e15, activeMs: 1e15 }), { nanoUsd: null, tokens: 1e9 })).toBeNull();
  });

  it.each([
    ['budget_usd', use({ nanoUsd: 100 }, { nanoUsd: 60 }), 40],
    ['budget_tokens', use({ tokens: 100 }, { tokens: 60 }), 40],
    ['budget_group', use({ group: GROUP }, { groupNanoUsd: 60 }), 40],
  ] as const)('%s: a call that just fits may go, one more may not', (bound, used, fits) => {
    expect(budgetBlock(used, { nanoUsd: fits, tokens: fits })).toBeNull();
    expect(budgetBlock(used, { nanoUsd: fits + 1, tokens: fits + 1 })).toBe(bound);
  });

  it('ends at the minute, whatever a call costs', () => {
    expect(budgetBlock(use({ activeMs: 60_000 }, { activeMs: 59_999 }), { nanoUsd: 0, tokens: 0 })).toBeNull();
    expect(budgetBlock(use({ activeMs: 60_000 }, { activeMs: 60_000 }), { nanoUsd: 0, tokens: 0 })).toBe('budget_minutes');
  });

  it('refuses what cannot be bounded, and lets through what is free', () => {
    for (const budget of [{ nanoUsd: 1e15 }, { group: { ...GROUP, nanoUsd: 1e15 } }]) {
      expect(budgetBlock(use(budget), { nanoUsd: null, tokens: 1 })).not.toBeNull();
      expect(budgetBlock(use(budget, { nanoUsd: 2e15, groupNanoUsd: 2e15 }), { nanoUsd: 0, tokens: 1 })).toBeNull();
    }
  });

  it('never lets spending pass a bound, whatever is asked for and settled', () => {
    const calls = fc.array(fc.record({ worst: fc.integer({ min: 1, max: 50 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }));
    fc.assert(
      fc.property(calls, fc.integer({ min: 0, max: 300 }), (asked, limit) => {
        let used = 0;
        for (const { worst, share } of asked) {
          if (
            budgetBlock(use({ nanoUsd: limit, tokens: limit }, { nanoUsd: used, tokens: used }), { nanoUsd: worst, tokens: worst }) !== null
          )
            continue;
          expect(used + worst).toBeLessThanOrEqual(limit);
          used += Math.ceil(worst * share);
        }
        expect(used).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('monthOf', () => {
  it('is the calendar month in UTC', () => {
    expect([Date.UTC(2026, 10, 30, 23, 59, 59, 999), Date.UTC(2026, 11, 1)].map(monthOf)).toEqual(['2026-11', '2026-12']);
  });
});
