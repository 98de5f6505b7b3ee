import { usdOf } from '../../domain/money.ts';
import type { Outlook } from '../../engine/budget-outlook.ts';
import type { TimeEstimate } from '../../engine/plan-time.ts';
import { jobRecords } from './plan-list.ts';
import type { PlanParts, PlanView } from './plan-screen.ts';

/** `plan --json`. Unknown costs are `null`, never 0. */
export function planRecord(view: PlanView, { list, origins }: Pick<PlanParts, 'list' | 'origins'>): object {
  const { prepared, tally, outlook, time, warnings, faults, notes } = view;
  const { total } = outlook;
  const models = outlook.models.map((estimate) => {
    const { jobs, cached } = tally.counts(estimate.model);
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
  const { total: all, cached, failed, knownBad, toRun } = tally.counts();
  return {
    v: 1,
    jobs: { total: all, cached, failed, knownBad, toRun },
    calls: { total: tally.calls(), toRun: tally.callsToRun() },
    tokens: { input: total.inputTokens, output: total.outputTokens, maxOutput: total.maxOutputTokens },
    cost: { expectedUsd: usdOrNull(total.expectedNanoUsd), worstCaseUsd: usdOrNull(total.worstNanoUsd) },
    budget: outlook.bounds.map(boundRecord),
    models,
    selection: selectionRecord(prepared),
    time: timeRecord(time),
    warnings: [...warnings, ...faults.map(({ text }) => text)],
    notes,
    ...(list === null ? {} : { list: jobRecords(list) }),
    ...(origins === null ? {} : { origins }),
  };
}

function selectionRecord({ selected }: PlanView['prepared']): object | null {
  return selected === null ? null : { ...selected.selection, jobs: selected.jobs, allJobs: selected.allJobs };
}

/** `seconds` is `null` where some model was not timed yet; then it takes at least `atLeastSeconds`. */
function timeRecord({ slowest, untimed }: TimeEstimate): object {
  const seconds = slowest === null ? null : Math.ceil(slowest.ms / 1000);
  const isKnown = untimed.length === 0;
  return { seconds: isKnown ? (seconds ?? 0) : null, atLeastSeconds: seconds ?? 0, basis: slowest?.basis ?? null, untimed };
}

/** Amounts of `usd` and `group` in USD, of `tokens` in tokens. */
export function boundRecord({ bound, limit, used, expected, worst }: Outlook): object {
  if (bound === 'tokens') return { bound, limit, used, expected, worst };
  return { bound, limit: usdOf(limit), used: usdOf(used), expected: usdOrNull(expected), worst: usdOrNull(worst) };
}

function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd);
}
