import { budgetBounds } from '../domain/budget-bounds.ts';
import { usdOf } from '../domain/money.ts';
import type { HeaderBudget, RunHeader } from '../domain/result-line.ts';
import type { RunTotals } from '../store/rows.ts';
import { isStop } from './waits-in-vain.ts';

/**
 * What the header says of a run beside its jobs. Of a budget only what is the run's own: a group's spending goes on after the run ended,
 * and the run's files must not change with it.
 */
export function headerState({ byModel, budget, waiting }: RunTotals): Pick<RunHeader, 'speeds' | 'budget' | 'stoppedBy'> {
  const stoppedBy = waiting.filter(isStop).map(({ why, lane = null, count, untilMs, message, tags }) => {
    const until = untilMs === null ? null : new Date(untilMs).toISOString();
    return { why, lane, count, until, message, ...(tags === undefined ? {} : { tags }) };
  });
  return {
    speeds: Object.fromEntries(byModel.map(({ model, firstTokenMs, tokensPerSecond }) => [model, { firstTokenMs, tokensPerSecond }])),
    ...(budget === null ? {} : { budget: headerBudget(budget) }),
    ...(stoppedBy.length === 0 ? {} : { stoppedBy }),
  };
}

function headerBudget(use: NonNullable<RunTotals['budget']>): HeaderBudget {
  const bounds = new Map(budgetBounds(use).map((bound) => [bound.kind, bound]));
  const [usd, tokens] = [bounds.get('budget_usd'), bounds.get('budget_tokens')];
  return {
    usd: usd === undefined ? null : { limit: usdOf(usd.limit), used: usdOf(usd.used) },
    tokens: tokens === undefined ? null : { limit: tokens.limit, used: tokens.used },
  };
}
