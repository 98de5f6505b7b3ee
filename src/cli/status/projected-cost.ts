import type { ModelTotals, RunTotals } from '../../store/rows.ts';
import { calledJobs } from '../display/rate.ts';

/** A mean over fewer jobs says little. */
const ENOUGH_JOBS = 20;

/**
 * What a run will have cost when it is through, in nano-USD: what is spent, and for each open job as much as a called job of its model
 * cost so far. `null` while too few were called, or where a price is unknown.
 */
export function projectedCost({ byModel, cost }: Pick<RunTotals, 'byModel' | 'cost'>): number | null {
  if (cost.spentNanoUsd === null || cost.unpricedCalls > 0) return null;
  if (byModel.reduce((sum, model) => sum + calledJobs(model), 0) < ENOUGH_JOBS) return null;
  return byModel.reduce<number | null>((sum, model) => plus(sum, openCost(model)), cost.spentNanoUsd);
}

function openCost(model: ModelTotals): number | null {
  const open = model.queued + model.running;
  const called = calledJobs(model);
  if (open === 0) return 0;
  return called === 0 || model.spentNanoUsd === null ? null : Math.round((open * model.spentNanoUsd) / called);
}

function plus(sum: number | null, more: number | null): number | null {
  return sum === null || more === null ? null : sum + more;
}
