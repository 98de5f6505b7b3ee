import type { BudgetUse } from '../domain/budget.ts';
import type { Reason } from '../domain/reason.ts';
import { type Aggregate, type JobVerdict, type ResultCounts, resultVerdict } from '../domain/verdict.ts';
import { grouped } from './grouped.ts';
import { type LatencyBucket, latenciesByModel, NO_LATENCIES } from './latencies.ts';
import type { ModelTotals, RunTotals, Waiting } from './rows.ts';

/** One row of `run_totals`: sums over the jobs, calls and attempts of one task and model. */
export type Sums = {
  readonly task: string;
  readonly model: string;
  readonly total: number;
  readonly queued: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly pass: number;
  readonly fail: number;
  readonly review: number;
  readonly cached: number;
  readonly attempts: number;
  readonly calls: number;
  readonly pricedCalls: number;
  readonly unpricedCalls: number;
  readonly uncertainCalls: number;
  readonly uncertainUnpricedCalls: number;
  readonly lostLeases: number;
  readonly reservedNanoUsd: number;
  readonly spentNanoUsd: number;
  readonly uncertainNanoUsd: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly streamedCalls: number;
  readonly firstTokenMs: number;
  readonly streamedOutputTokens: number;
  readonly generatingMs: number;
  readonly parts: number;
  readonly openParts: number;
  readonly rateLimited: number;
  readonly happenedAtMs: number;
};

export type ReasonCount = { readonly reason: Reason; readonly count: number };

/** Results of a task, by the verdicts of their repeats: two digits for each, see `VERDICT_DIGITS`. */
export type RepeatCount = { readonly task: string; readonly verdicts: number; readonly results: number };

export type Aggregates = { readonly [task: string]: { readonly repeats: number; readonly aggregate: Aggregate } };

/** What the totals of a run are made of. */
export type TotalsRows = {
  readonly sums: readonly Sums[];
  readonly aggregates: Aggregates;
  /** Of the tasks that `repeatedTasks` names. */
  readonly repeats: readonly RepeatCount[];
  readonly buckets: readonly LatencyBucket[];
  readonly dlq: readonly ReasonCount[];
  readonly retries: readonly ReasonCount[];
  readonly budget: BudgetUse | null;
  readonly waiting: readonly Waiting[];
  readonly inFlight: RunTotals['inFlight'];
};

export function runTotalsOf(rows: TotalsRows): RunTotals {
  const { sums, budget, dlq, retries, waiting, inFlight } = rows;
  const sum = (column: NumericColumn) => sumOf(sums, column);
  return {
    jobs: {
      total: sum('total'),
      queued: sum('queued'),
      running: sum('running'),
      succeeded: sum('succeeded'),
      failed: sum('failed'),
      cancelled: sum('cancelled'),
    },
    results: resultCounts(rows),
    calls: sum('calls'),
    attempts: sum('attempts'),
    cacheHits: sum('cached'),
    cost: {
      spentNanoUsd: spent(sums),
      reservedNanoUsd: sum('reservedNanoUsd'),
      uncertainNanoUsd: sum('uncertainNanoUsd'),
      unpricedCalls: sum('unpricedCalls'),
      uncertainCalls: sum('uncertainCalls'),
      uncertainUnpricedCalls: sum('uncertainUnpricedCalls'),
    },
    budget,
    lostLeases: sum('lostLeases'),
    tokens: { input: sum('inputTokens'), cachedInput: sum('cachedInputTokens'), output: sum('outputTokens') },
    happenedAtMs: lastOf(sums),
    byModel: modelTotals(rows),
    ...{ dlq, retries, waiting, inFlight },
  };
}

type NumericColumn = Exclude<keyof Sums, 'task' | 'model'>;

function sumOf(rows: readonly Sums[], column: NumericColumn): number {
  return rows.reduce((total, row) => total + row[column], 0);
}

/** `null` when calls were paid and none of them has a known price. */
function spent(rows: readonly Sums[]): number | null {
  if (sumOf(rows, 'pricedCalls') === 0 && sumOf(rows, 'unpricedCalls') > 0) return null;
  return sumOf(rows, 'spentNanoUsd');
}

/** `null` when nothing ended yet. */
function lastOf(rows: readonly Sums[]): number | null {
  const last = Math.max(0, ...rows.map(({ happenedAtMs }) => happenedAtMs));
  return last === 0 ? null : last;
}

function modelTotals({ sums, buckets }: TotalsRows): readonly ModelTotals[] {
  const latencies = latenciesByModel(buckets);
  return [...grouped(sums, (row) => row.model)].map(([model, own]) => ({
    model,
    total: sumOf(own, 'total'),
    queued: sumOf(own, 'queued'),
    running: sumOf(own, 'running'),
    pass: sumOf(own, 'pass'),
    fail: sumOf(own, 'fail'),
    review: sumOf(own, 'review'),
    error: sumOf(own, 'failed'),
    cancelled: sumOf(own, 'cancelled'),
    cached: sumOf(own, 'cached'),
    inputTokens: sumOf(own, 'inputTokens'),
    cachedInputTokens: sumOf(own, 'cachedInputTokens'),
    outputTokens: sumOf(own, 'outputTokens'),
    spentNanoUsd: spent(own),
    firstTokenMs: ratio(sumOf(own, 'firstTokenMs'), sumOf(own, 'streamedCalls')),
    tokensPerSecond: ratio(sumOf(own, 'streamedOutputTokens') * 1000, sumOf(own, 'generatingMs')),
    parts: sumOf(own, 'parts'),
    openParts: sumOf(own, 'openParts'),
    rateLimited: sumOf(own, 'rateLimited'),
    ...(latencies.get(model) ?? NO_LATENCIES),
  }));
}

function ratio(sum: number, of: number): number | null {
  return of === 0 ? null : sum / of;
}

/** A task without repeats has one job per result, so its sums are enough; of others the results are counted one by one. */
export function repeatedTasks(aggregates: Aggregates): string[] {
  return Object.entries(aggregates).flatMap(([task, { repeats }]) => (repeats <= 1 ? [] : [task]));
}

/** Results per verdict. */
function resultCounts({ sums, aggregates, repeats }: TotalsRows): ResultCounts {
  const counted = grouped(repeats, ({ task }) => task);
  const parts: ResultCounts[] = [];
  for (const [task, own] of grouped(sums, (row) => row.task)) {
    const rule = aggregates[task];
    parts.push(rule === undefined || rule.repeats <= 1 ? countsOfSums(own) : countsOfRepeats(counted.get(task) ?? [], rule.aggregate));
  }
  const sum = (column: keyof ResultCounts) => parts.reduce((total, part) => total + part[column], 0);
  return { total: sum('total'), open: sum('open'), pass: sum('pass'), fail: sum('fail'), review: sum('review'), error: sum('error') };
}

/** A cancelled job could not be evaluated: it counts as an error. */
function countsOfSums(rows: readonly Sums[]): ResultCounts {
  return {
    total: sumOf(rows, 'total'),
    open: sumOf(rows, 'queued') + sumOf(rows, 'running'),
    pass: sumOf(rows, 'pass'),
    fail: sumOf(rows, 'fail'),
    review: sumOf(rows, 'review'),
    error: sumOf(rows, 'failed') + sumOf(rows, 'cancelled'),
  };
}

/**
 * A job as one of the digits of its result, two for each kind: that is counted, and then grouped, twice as fast as five numbers are. A
 * task has at most 20 repeats.
 */
export const VERDICT_DIGITS = `CASE
    WHEN verdict = 'pass' THEN 1
    WHEN verdict = 'fail' THEN 100
    WHEN verdict = 'review' THEN 10000
    WHEN verdict = 'error' OR state = 'cancelled' THEN 1000000
    ELSE 100000000 END`;

/** In the order of their digits. */
const DIGITS: readonly JobVerdict[] = ['pass', 'fail', 'review', 'error'];
const OPEN = 100 ** DIGITS.length;

function countsOfRepeats(repeats: readonly RepeatCount[], aggregate: Aggregate): ResultCounts {
  const counts = { total: 0, open: 0, pass: 0, fail: 0, review: 0, error: 0 };
  for (const { verdicts, results } of repeats) {
    counts.total += results;
    counts[verdicts >= OPEN ? 'open' : resultVerdict(verdictsOf(verdicts), aggregate)] += results;
  }
  return counts;
}

function verdictsOf(digits: number): readonly JobVerdict[] {
  return DIGITS.flatMap((verdict, place) => Array.from({ length: Math.floor(digits / 100 ** place) % 100 }, () => verdict));
}
