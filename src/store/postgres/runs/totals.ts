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
import type { Sql } from '../sql.ts';
import { loadLanes } from '../steps/lanes.ts';
import { waitingOf } from '../steps/waiting.ts';
import type { View } from '../transactor.ts';
import { runFacts } from './run-facts.ts';

const SELECT_SUMS = `
SELECT task, model, total, queued, running, succeeded, failed, cancelled, pass, fail, review, cached, attempts, calls, priced_calls,
  unpriced_calls, uncertain_calls, uncertain_unpriced_calls, lost_leases, reserved_nano_usd, spent_nano_usd, uncertain_nano_usd,
  input_tokens, cached_input_tokens, output_tokens, streamed_calls, first_token_ms, streamed_output_tokens, generating_ms, parts,
  open_parts, rate_limited, happened_at_ms
FROM run_totals WHERE run_id = :runId ORDER BY model, task`;

const SELECT_DLQ = `
SELECT error_reason AS reason, count(*) AS count FROM jobs WHERE run_id = :runId AND state = 'failed'
GROUP BY error_reason ORDER BY count DESC, reason`;
const SELECT_RETRIES = `
SELECT reason, count(*) AS count FROM attempts WHERE run_id = :runId AND outcome IN ('failed', 'lost') AND NOT final
GROUP BY reason ORDER BY count DESC, reason`;
const SELECT_BUCKETS = `SELECT model, bucket, calls FROM run_latencies WHERE run_id = :runId ORDER BY model, bucket`;

// An answer that is stored is judged, not asked for again.
const SELECT_IN_FLIGHT = `
SELECT count(*) AS calls, coalesce(sum(c.worst_nano_usd), 0)::bigint AS nano_usd
FROM steps s JOIN calls c ON c.call_token = s.lease_token
WHERE s.run_id = :runId AND s.state = 'running' AND c.state = 'sent'
  AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.call_token = c.call_token)`;

export async function runTotals(view: View, runId: string, asker: readonly string[] | null = null): Promise<RunTotals> {
  const { sql } = view;
  const run = await runFacts(sql, runId);
  const aggregates = await aggregatesOf(sql, runId);
  const tasks = repeatedTasks(aggregates);
  const ended = run.state === 'finished' || run.state === 'cancelled';
  return runTotalsOf({
    sums: await sql.all<Sums>(SELECT_SUMS, { runId }),
    aggregates,
    repeats: tasks.length === 0 ? [] : await sql.all<RepeatCount>(SELECT_REPEATS, { runId, tasks }),
    buckets: await sql.all<LatencyBucket>(SELECT_BUCKETS, { runId }),
    dlq: await sql.all<ReasonCount>(SELECT_DLQ, { runId }),
    retries: await sql.all<ReasonCount>(SELECT_RETRIES, { runId }),
    budget: (await loadLanes(view, run)).totals.budget,
    waiting: ended ? [] : await waitingOf(view, run, asker),
    inFlight: (await sql.one<RunTotals['inFlight']>(SELECT_IN_FLIGHT, { runId })) ?? { calls: 0, nanoUsd: 0 },
  });
}

async function aggregatesOf(sql: Sql, runId: string): Promise<Aggregates> {
  const stored = await sql.one<{ aggregates: Aggregates }>('SELECT aggregates FROM runs WHERE run_id = :runId', { runId });
  return stored?.aggregates ?? {};
}

// Read from one index alone.
const SELECT_REPEATS = `
SELECT task, verdicts, count(*) AS results FROM (
  SELECT task, sum(${VERDICT_DIGITS}) AS verdicts
  FROM jobs WHERE run_id = :runId AND task = ANY(:tasks::text[]) GROUP BY task, document_id, model) r
GROUP BY task, verdicts`;
