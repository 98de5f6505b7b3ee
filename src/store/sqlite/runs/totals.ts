import type { Reason } from '../../../domain/reason.ts';
import { type Aggregate, type JobVerdict, type ResultCounts, resultVerdict } from '../../../domain/verdict.ts';
import { grouped } from '../../grouped.ts';
import type { ModelTotals, RunTotals } from '../../rows.ts';
import { fromJson, type Sql } from '../sql.ts';
import { loadLanes } from '../steps/lanes.ts';
import { waitingOf } from '../steps/waiting.ts';
import type { View } from '../transactor.ts';
import { type Latencies, latencies, NO_LATENCIES } from './latencies.ts';
import { runFacts } from './run-facts.ts';

/** One row of `run_totals`: sums over the jobs, calls and attempts of one task and model. */
type Sums = {
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

const SELECT_SUMS = `
SELECT task, model, total, queued, running, succeeded, failed, cancelled, pass, fail, review, cached, attempts, calls,
  priced_calls AS pricedCalls, unpriced_calls AS unpricedCalls, uncertain_calls AS uncertainCalls,
  uncertain_unpriced_calls AS uncertainUnpricedCalls, lost_leases AS lostLeases, reserved_nano_usd AS reservedNanoUsd,
  spent_nano_usd AS spentNanoUsd, uncertain_nano_usd AS uncertainNanoUsd, input_tokens AS inputTokens,
  cached_input_tokens AS cachedInputTokens, output_tokens AS outputTokens,
  streamed_calls AS streamedCalls, first_token_ms AS firstTokenMs, streamed_output_tokens AS streamedOutputTokens,
  generating_ms AS generatingMs, parts, open_parts AS openParts, rate_limited AS rateLimited, happened_at_ms AS happenedAtMs
FROM run_totals WHERE run_id = :runId ORDER BY model, task`;

type ReasonCount = { readonly reason: Reason; readonly count: number };

const SELECT_DLQ = `
SELECT error_reason AS reason, count(*) AS count FROM jobs WHERE run_id = :runId AND state = 'failed'
GROUP BY error_reason ORDER BY count DESC, reason`;
const SELECT_RETRIES = `
SELECT reason, count(*) AS count FROM attempts WHERE run_id = :runId AND outcome IN ('failed', 'lost') AND final = 0
GROUP BY reason ORDER BY count DESC, reason`;

export function runTotals(view: View, runId: string): RunTotals {
  const { sql } = view;
  const run = runFacts(sql, runId);
  const rows = sql.all<Sums>(SELECT_SUMS, { runId });
  const sum = (column: NumericColumn) => sumOf(rows, column);
  const ended = run.state === 'finished' || run.state === 'cancelled';
  return {
    jobs: {
      total: sum('total'),
      queued: sum('queued'),
      running: sum('running'),
      succeeded: sum('succeeded'),
      failed: sum('failed'),
      cancelled: sum('cancelled'),
    },
    results: resultCounts(sql, runId, rows),
    calls: sum('calls'),
    attempts: sum('attempts'),
    cacheHits: sum('cached'),
    cost: {
      spentNanoUsd: spent(rows),
      reservedNanoUsd: sum('reservedNanoUsd'),
      uncertainNanoUsd: sum('uncertainNanoUsd'),
      unpricedCalls: sum('unpricedCalls'),
      uncertainCalls: sum('uncertainCalls'),
      uncertainUnpricedCalls: sum('uncertainUnpricedCalls'),
    },
    budget: loadLanes(view, run).totals.budget,
    lostLeases: sum('lostLeases'),
    tokens: { input: sum('inputTokens'), cachedInput: sum('cachedInputTokens'), output: sum('outputTokens') },
    happenedAtMs: lastOf(rows),
    byModel: modelTotals(rows, latencies(sql, runId)),
    dlq: sql.all<ReasonCount>(SELECT_DLQ, { runId }),
    retries: sql.all<ReasonCount>(SELECT_RETRIES, { runId }),
    waiting: ended ? [] : waitingOf(view, run),
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

function modelTotals(rows: readonly Sums[], latenciesOf: ReadonlyMap<string, Latencies>): readonly ModelTotals[] {
  return [...grouped(rows, (row) => row.model)].map(([model, own]) => ({
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
    ...(latenciesOf.get(model) ?? NO_LATENCIES),
  }));
}

function ratio(sum: number, of: number): number | null {
  return of === 0 ? null : sum / of;
}

type Aggregates = { readonly [task: string]: { readonly repeats: number; readonly aggregate: Aggregate } };

/** Results per verdict. A task without repeats has one job per result, so its sums are enough; others are read job by job. */
function resultCounts(sql: Sql, runId: string, rows: readonly Sums[]): ResultCounts {
  const stored = sql.one<{ aggregates: string }>('SELECT aggregates FROM runs WHERE run_id = :runId', { runId });
  const aggregates = stored === undefined ? {} : fromJson<Aggregates>(stored.aggregates);
  const parts: ResultCounts[] = [];
  for (const [task, own] of grouped(rows, (row) => row.task)) {
    const rule = aggregates[task];
    parts.push(rule === undefined || rule.repeats <= 1 ? countsOfSums(own) : countsOfRepeats(sql, runId, task, rule.aggregate));
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

// A result's verdicts as the digits of one number, two for each kind: that is counted, and then grouped, twice as fast as five numbers
// are. Read from one index alone.
const SELECT_REPEATS = `
SELECT verdicts, count(*) AS results FROM (
  SELECT sum(CASE
    WHEN verdict = 'pass' THEN 1
    WHEN verdict = 'fail' THEN 100
    WHEN verdict = 'review' THEN 10000
    WHEN verdict = 'error' OR state = 'cancelled' THEN 1000000
    ELSE 100000000 END) AS verdicts
  FROM jobs WHERE run_id = :runId AND task = :task GROUP BY document_id, model)
GROUP BY verdicts`;

/** In the order of their digits; a task has at most 20 repeats. */
const DIGITS: readonly JobVerdict[] = ['pass', 'fail', 'review', 'error'];
const OPEN = 100 ** DIGITS.length;

function countsOfRepeats(sql: Sql, runId: string, task: string, aggregate: Aggregate): ResultCounts {
  const counts = { total: 0, open: 0, pass: 0, fail: 0, review: 0, error: 0 };
  for (const { verdicts, results } of sql.all<{ verdicts: number; results: number }>(SELECT_REPEATS, { runId, task })) {
    counts.total += results;
    counts[verdicts >= OPEN ? 'open' : resultVerdict(verdictsOf(verdicts), aggregate)] += results;
  }
  return counts;
}

function verdictsOf(digits: number): readonly JobVerdict[] {
  return DIGITS.flatMap((verdict, place) => Array.from({ length: Math.floor(digits / 100 ** place) % 100 }, () => verdict));
}
