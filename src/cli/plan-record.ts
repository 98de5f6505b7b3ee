import { usdOf } from '../domain/money.ts';
import type { Outlook } from '../engine/budget-outlook.ts';
import { countCalls, countFates, type PlanView } from './plan-screen.ts';

/** `plan --json`. Unknown costs are `null`, never 0. */
export function planRecord(view: PlanView): object {
  const { prepared, fates, outlook, warnings } = view;
  const { total } = outlook;
  const models = outlook.models.map((estimate) => {
    const { jobs, cached } = countFates(fates.filter(({ job }) => job.model === estimate.model));
    return {
      model: estimate.model,
      jobs,
      cached,
      inputTokens: estimate.inputTokens,
      outputTokens: estimate.outputTokens,
      outputBasis: estimate.outputBasis,
      maxOutputTokens: estimate.maxOutputTokens,
      expectedUsd: usdOrNull(estimate.expectedNanoUsd),
      worstCaseUsd: usdOrNull(estimate.worstNanoUsd),
      price: prepared.manifest.models[estimate.model]?.price ?? null,
    };
  });
  const { total: all, cached, failed, knownBad, toRun } = countFates(fates);
  return {
    v: 1,
    jobs: { total: all, cached, failed, knownBad, toRun },
    calls: countCalls(view),
    tokens: { input: total.inputTokens, output: total.outputTokens, maxOutput: total.maxOutputTokens },
    cost: { expectedUsd: usdOrNull(total.expectedNanoUsd), worstCaseUsd: usdOrNull(total.worstNanoUsd) },
    budget: outlook.bounds.map(boundRecord),
    models,
    warnings,
  };
}

/** Amounts of `usd` and `group` in USD, of `tokens` in tokens. */
function boundRecord({ bound, limit, used, expected, worst }: Outlook): object {
  if (bound === 'tokens') return { bound, limit, used, expected, worst };
  return { bound, limit: usdOf(limit), used: usdOf(used), expected: usdOrNull(expected), worst: usdOrNull(worst) };
}

function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd);
}
