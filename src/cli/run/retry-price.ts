import type { Budget } from '../../domain/budget.ts';
import { roundedUpUsd } from '../../domain/budget-bounds.ts';
import { UserError } from '../../domain/errors.ts';
import { usdOf, worstCostNanoUsd } from '../../domain/money.ts';
import { budgetOutlook, exceeds, type Outlook, type Used } from '../../engine/budget-outlook.ts';
import { budgetOf } from '../../engine/enqueue.ts';
import { type AskedJob, callsOf, type Estimate, estimates, sumCalls, total } from '../../engine/plan-cost.ts';
import { withMaxCost } from '../../engine/with-settings.ts';
import type { RetrySelection, RetryTerms } from '../../store/plan-rows.ts';
import type { OpenCall, RetriedJob, RunRow, RunTotals } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Priced } from '../display/price-text.ts';
import { EXIT } from '../exit-codes.ts';
import { moneyTexts } from '../terminal/format.ts';
import type { RunHere } from './run-here.ts';
import { runLine } from './run-line.ts';

/** What a retry will take, by the prices that its run keeps. */
export type RetryPrice = {
  /** Those that are asked again, in plan order. */
  readonly jobs: readonly RetriedJob[];
  /** Jobs of the run that were open before: whoever retries works on them, too, so that their calls are in the price. */
  readonly otherJobs: number;
  readonly calls: number;
  readonly total: Estimate;
  readonly bounds: readonly Outlook[];
  /** The least of what one of the calls can cost at most; `null` where there is none, or a price is unknown. */
  readonly leastCallNanoUsd: number | null;
};

export type PriceInput = {
  readonly run: RunRow;
  readonly selection: RetrySelection;
  /** The bound that takes the place of the run's own, if any. */
  readonly terms: RetryTerms | undefined;
};

type PriceStore = Pick<Store, 'retryOutlook' | 'outputMeans' | 'runTotals'>;

/** Reads what a retry will ask, and what that costs, retries and re-asks apart as in `plan`. Changes nothing. */
export async function readPrice(store: PriceStore, { run, selection, terms }: PriceInput): Promise<RetryPrice> {
  const { jobs, calls } = await store.retryOutlook(run.runId, selection);
  const asked = askedJobs(calls);
  const sums = sumCalls(run.manifest, asked, await store.outputMeans());
  const all = total(estimates(run.manifest, sums));
  const budget = terms?.budget ?? run.settings.budget;
  const chosen = new Set(jobs.map(({ jobId }) => jobId));
  return {
    jobs,
    otherJobs: asked.filter(({ jobId }) => !chosen.has(jobId)).length,
    calls: callsOf(sums),
    total: all,
    leastCallNanoUsd: leastOf(run, calls),
    bounds: budget === null ? [] : boundsOf(budget, all, await store.runTotals(run.runId)),
  };
}

function leastOf({ settings }: RunRow, calls: readonly OpenCall[]): number | null {
  const worst = calls.map(({ model, maxInputTokens }) => worstCostNanoUsd(settings.rates[model], maxInputTokens));
  return worst.reduce((least, each) => (least === null || each === null ? null : Math.min(least, each)), worst[0] ?? null);
}

/** The calls by their job. */
function askedJobs(calls: readonly OpenCall[]): AskedJob[] {
  const jobs = new Map<string, { jobId: string; task: string; model: string; steps: AskedJob['steps'][number][]; later: OpenCall[] }>();
  for (const call of calls) {
    const { jobId, task, model, key } = call;
    const job = jobs.get(jobId) ?? { jobId, task, model, steps: [], later: [] };
    jobs.set(jobId, job);
    if (key === null) job.later.push(call);
    else job.steps.push({ ...call, key });
  }
  return [...jobs.values()];
}

function boundsOf(budget: Budget, all: Estimate, { cost, tokens, budget: use }: RunTotals): Outlook[] {
  const spent: Used = {
    nanoUsd: (cost.spentNanoUsd ?? 0) + cost.reservedNanoUsd + cost.uncertainNanoUsd,
    tokens: tokens.input + tokens.output,
    groupNanoUsd: 0,
  };
  return budgetOutlook(budget, all, use ?? spent);
}

/** The run's budget with this bound in the place of its own. */
export function termsOf({ manifest }: RunRow, maxCost: number): RetryTerms {
  const manifestBudget = withMaxCost(manifest.budget, maxCost);
  return { budget: budgetOf(manifestBudget), manifestBudget };
}

/** A bound that cannot trip is none: throws a `UserError` where what is asked may cost anything. `name` is how the bound was stated. */
export function refuseUnbounded(
  run: RunHere,
  jobs: readonly RetriedJob[],
  { maxCost, name, cwd }: { maxCost: number; name: string; cwd: string },
): void {
  for (const id of new Set(jobs.map(({ model }) => model))) {
    const rate = run.settings.rates[id];
    const field =
      rate === undefined || rate.price === null
        ? 'price'
        : rate.price !== 'free' && rate.maxOutputTokens === null
          ? 'params.maxOutputTokens'
          : null;
    if (field === null) continue;
    const what = field === 'price' ? 'price' : 'longest answer';
    throw new UserError({
      code: 'E19',
      exitCode: EXIT.usage,
      message: `${what} of model ${JSON.stringify(id)} unknown, so ${name} cannot be enforced`,
      next: [`state models.${id}.${field} in the manifest, then: ${runLine(run, cwd, ['--max-cost', String(maxCost)])}`],
    });
  }
}

/** A bound that no call fits stops the retry before it begins: throws a `UserError`. `again` is the retry under another bound. */
export function refuseUsedUp({ bounds, leastCallNanoUsd: least, total }: RetryPrice, name: string, again: (usd: number) => string): void {
  const usd = bounds.find(({ bound }) => bound === 'usd');
  if (usd === undefined || least === null || !exceeds(usd, least)) return;
  const [limit, used, call] = moneyTexts([usd.limit, usd.used, least]);
  throw new UserError({
    code: 'E19',
    exitCode: EXIT.budget,
    message: `${name} ${limit} counts what the run has spent, in flight or uncertain already (${used}): no call fits, each may cost ${call} or more`,
    next: [again(roundedUpUsd(usdOf(usd.used + (total.worstNanoUsd ?? least))))],
  });
}

/** As it is told. */
export function priced({ calls, otherJobs, total: { expectedNanoUsd, worstNanoUsd } }: RetryPrice): Priced {
  return { calls, otherJobs, expectedNanoUsd, worstNanoUsd };
}
