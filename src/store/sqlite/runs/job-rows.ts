import type { JobResult } from '../../../domain/result.ts';
import { type JobColumns, jobRowOf } from '../../job-row.ts';
import type { JobRow } from '../../rows.ts';
import { fromNullableJson, type Params, type Sql } from '../sql.ts';

type Row = Omit<JobColumns, 'result' | 'cached'> & { readonly result: string | null; readonly cached: 0 | 1 };

// What a job rests on: the answer that it noted, and what its other steps were answered with then. Of a job that was asked afresh and
// cancelled the steps have forgotten. CROSS JOIN: from the page outwards; else SQLite may scan all steps and responses of the store for it.
const ANSWERS = `
answers AS (
  SELECT seq, answer_call_token AS token, 1 AS is_noted FROM page WHERE answer_call_token IS NOT NULL
  UNION
  SELECT p.seq, s.call_token, 0 FROM page p
  CROSS JOIN steps n ON n.run_id = p.run_id AND n.job_id = p.job_id AND n.call_token = p.answer_call_token AND n.state = 'succeeded'
  CROSS JOIN steps s ON s.run_id = p.run_id AND s.job_id = p.job_id AND s.call_token <> p.answer_call_token AND s.state = 'succeeded'
  WHERE s.outcome IN ('answered', 'cached')),
payers AS (
  SELECT a.seq, r.run_id, r.job_id, count(*) AS answers, max(a.is_noted) AS is_noted, max(r.latency_ms) AS latency_ms,
    count(coalesce(c.cost_nano_usd, r.cost_nano_usd)) AS priced, sum(coalesce(c.cost_nano_usd, r.cost_nano_usd)) AS cost_nano_usd
  FROM answers a CROSS JOIN responses r ON r.call_token = a.token LEFT JOIN calls c ON c.call_token = r.call_token
  GROUP BY a.seq, r.run_id, r.job_id),
origins AS (
  SELECT seq, run_id AS runId, job_id AS jobId, max(latency_ms) OVER job AS latencyMs,
    iif(sum(answers) OVER job = sum(priced) OVER job, sum(cost_nano_usd) OVER job, NULL) AS costNanoUsd,
    row_number() OVER (PARTITION BY seq ORDER BY answers DESC, is_noted DESC) AS place
  FROM payers WINDOW job AS (PARTITION BY seq))`;

/**
 * `where` finds the jobs, by an index in plan order. What is summed of them is kept apart from their wide rows, which are read once, last,
 * and never sorted.
 */
function selectJobs(where: string, order: string): string {
  return `
WITH page AS MATERIALIZED (
  SELECT j.seq, j.run_id, j.job_id, j.answer_call_token FROM jobs j WHERE j.run_id = :runId AND ${where} ORDER BY ${order}), ${ANSWERS},
spent AS (
  SELECT p.seq, sum(c.uncached_input) AS uncachedInput, sum(c.cache_read) AS cacheRead, sum(c.cache_write) AS cacheWrite,
    sum(c.output) AS output, sum(c.reasoning) AS reasoning, count(*) AS calls,
    iif(count(*) FILTER (WHERE c.state = 'settled' AND c.cost_nano_usd IS NULL) > 0, NULL,
      coalesce(sum(c.cost_nano_usd) FILTER (WHERE c.state = 'settled'), 0)) AS costNanoUsd
  FROM page p CROSS JOIN calls c ON c.run_id = p.run_id AND c.job_id = p.job_id AND c.state IN ('sent', 'settled', 'unknown')
  GROUP BY p.seq),
tried AS (
  SELECT p.seq, sum(a.counted) AS attempts, count(*) FILTER (WHERE a.outcome IN ('failed', 'lost') AND a.final = 0) AS retries
  FROM page p CROSS JOIN attempts a ON a.run_id = p.run_id AND a.job_id = p.job_id
  GROUP BY p.seq)
SELECT j.seq, j.job_id AS jobId, j.document_id AS documentId, d.bytes_sha256 AS bytesSha256, j.text_sha256 AS textSha256,
  j.task, j.model, j.repeat, j.state, j.verdict, j.result, j.error_reason AS errorReason, j.error_message AS errorMessage,
  j.cached, j.ended_at_ms AS endedAtMs,
  coalesce(s.uncachedInput, 0) AS uncachedInput, coalesce(s.cacheRead, 0) AS cacheRead, coalesce(s.cacheWrite, 0) AS cacheWrite,
  coalesce(s.output, 0) AS output, coalesce(s.reasoning, 0) AS reasoning,
  iif(s.seq IS NULL, 0, s.costNanoUsd) AS costNanoUsd, coalesce(s.calls, 0) AS calls,
  coalesce(t.attempts, 0) AS attempts, coalesce(t.retries, 0) AS retries,
  o.latencyMs, o.runId AS originRunId, o.jobId AS originJobId, o.costNanoUsd AS originCostNanoUsd
FROM jobs j
CROSS JOIN documents d ON d.run_id = j.run_id AND d.document_id = j.document_id
LEFT JOIN spent s ON s.seq = j.seq
LEFT JOIN tried t ON t.seq = j.seq
LEFT JOIN origins o ON o.seq = j.seq AND o.place = 1
WHERE j.run_id = :runId AND ${where} ORDER BY ${order}`;
}

const PAGE = selectJobs('j.seq > :after', 'j.seq LIMIT :limit');
const FAILED_PAGE = selectJobs(`j.state = 'failed' AND j.seq > :after`, 'j.seq LIMIT :limit');
// The plus: not by reading the whole run in its order.
const SOME = selectJobs('j.job_id IN (SELECT value FROM json_each(:jobIds))', '+j.seq');
const WITHOUT_ARTIFACTS = selectJobs('j.artifacts_at_ms IS NULL AND j.ended_at_ms IS NOT NULL', 'j.seq LIMIT :limit');

/** In plan order. */
export function jobRows(sql: Sql, runId: string, page: { after: number; limit: number; onlyFailed?: boolean }): readonly JobRow[] {
  const { after, limit, onlyFailed } = page;
  return select(sql, onlyFailed === true ? FAILED_PAGE : PAGE, { runId, after, limit });
}

/** Those of the ids that the run has, in plan order. */
export function jobRowsOf(sql: Sql, runId: string, jobIds: readonly string[]): readonly JobRow[] {
  return select(sql, SOME, { runId, jobIds: JSON.stringify(jobIds) });
}

/** Ended jobs whose artifacts are not written yet, in plan order. */
export function jobsWithoutArtifacts(sql: Sql, runId: string, limit: number): readonly JobRow[] {
  return select(sql, WITHOUT_ARTIFACTS, { runId, limit });
}

function select(sql: Sql, text: string, params: Params): readonly JobRow[] {
  return sql
    .all<Row>(text, params)
    .map(({ result, cached, ...row }) => jobRowOf({ ...row, result: fromNullableJson<JobResult>(result), cached: cached === 1 }));
}
