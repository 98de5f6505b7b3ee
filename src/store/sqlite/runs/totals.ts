import type { LatencyBucket } from '../../latencies.ts';
import type { RunTotals } from '../../rows.ts';
import {
  type Aggregates,
  type ReasonCount,
  type RepeatCount,
  repeatedTasks,
  runTotalsOf,
  type Sums,
  VERDICT_DIGITS,
} from '../../totals.ts';
import { fromJson, type Sql } from '../sql.ts';
import { loadLanes } from '../steps/lanes.ts';
import { waitingOf } from '../steps/waiting.ts';
import type { View } from '../transactor.ts';
import { runFacts } from './run-facts.ts';

const SELECT_SUMS = `
SELECT task, model, total, queued, running, succeeded, failed, cancelled, pass, fail, review, cached, attempts, calls,
  priced_calls AS pricedCalls, unpriced_calls AS unpricedCalls, uncertain_calls AS uncertainCalls,
  uncertain_unpriced_calls AS uncertainUnpricedCalls, lost_leases AS lostLeases, reserved_nano_usd AS reservedNanoUsd,
  spent_nano_usd AS spentNanoUsd, uncertain_nano_usd AS uncertainNanoUsd, input_tokens AS inputTokens,
  cached_input_tokens AS cachedInputTokens, output_tokens AS outputTokens,
  streamed_calls AS streamedCalls, first_token_ms AS firstTokenMs, streamed_output_tokens AS streamedOutputTokens,
  generating_ms AS generatingMs, parts, open_parts AS openParts, rate_limited AS rateLimited, happened_at_ms AS happenedAtMs
FROM run_totals WHERE run_id = :runId ORDER BY model, task`;

const SELECT_DLQ = `
SELECT error_reason AS reason, count(*) AS count FROM jobs WHERE run_id = :runId AND state = 'failed'
GROUP BY error_reason ORDER BY count DESC, reason`;
const SELECT_RETRIES = `
SELECT reason, count(*) AS count FROM attempts WHERE run_id = :runId AND outcome IN ('failed', 'lost') AND final = 0
GROUP BY reason ORDER BY count DESC, reason`;

const SELECT_BUCKETS = `SELECT model, bucket, calls FROM run_latencies WHERE run_id = :runId ORDER BY model, bucket`;

// An answer that is stored is judged, not asked for again.
const SELECT_IN_FLIGHT = `
SELECT count(*) AS calls, coalesce(sum(c.worst_nano_usd), 0) AS nanoUsd
FROM steps s JOIN calls c ON c.call_token = s.lease_token
WHERE s.run_id = :runId AND s.state = 'running' AND c.state = 'sent'
  AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.call_token = c.call_token)`;

export function runTotals(view: View, runId: string, asker: readonly string[] | null = null): RunTotals {
  const { sql } = view;
  const run = runFacts(sql, runId);
  const aggregates = aggregatesOf(sql, runId);
  const ended = run.state === 'finished' || run.state === 'cancelled';
  return runTotalsOf({
    sums: sql.all<Sums>(SELECT_SUMS, { runId }),
    aggregates,
    repeats: repeatedTasks(aggregates).flatMap((task) => sql.all<RepeatCount>(SELECT_REPEATS, { runId, task })),
    buckets: sql.all<LatencyBucket>(SELECT_BUCKETS, { runId }),
    dlq: sql.all<ReasonCount>(SELECT_DLQ, { runId }),
    retries: sql.all<ReasonCount>(SELECT_RETRIES, { runId }),
    budget: loadLanes(view, run).totals.budget,
    waiting: ended ? [] : waitingOf(view, run, asker),
    inFlight: sql.one<RunTotals['inFlight']>(SELECT_IN_FLIGHT, { runId }) ?? { calls: 0, nanoUsd: 0 },
  });
}

function aggregatesOf(sql: Sql, runId: string): Aggregates {
  const stored = sql.one<{ aggregates: string }>('SELECT aggregates FROM runs WHERE run_id = :runId', { runId });
  return stored === undefined ? {} : fromJson<Aggregates>(stored.aggregates);
}

// Read from one index alone.
const SELECT_REPEATS = `
SELECT :task AS task, verdicts, count(*) AS results FROM (
  SELECT sum(${VERDICT_DIGITS}) AS verdicts
  FROM jobs WHERE run_id = :runId AND task = :task GROUP BY document_id, model)
GROUP BY verdicts`;
