import { type JobColumns, jobRowOf } from '../../job-row.ts';
import type { JobRow } from '../../rows.ts';
import type { Params, Sql } from '../sql.ts';

// What a job rests on: the answer that it noted, and what its other steps were answered with then. Of a job that was asked afresh and
// cancelled the steps have forgotten.
const ANSWERS = `
SELECT p.answer_call_token AS token, true AS is_noted WHERE p.answer_call_token IS NOT NULL
UNION ALL
SELECT DISTINCT s.call_token, false FROM steps s
WHERE s.run_id = p.run_id AND s.job_id = p.job_id AND s.call_token <> p.answer_call_token AND s.state = 'succeeded'
  AND s.outcome IN ('answered', 'cached') AND EXISTS (
    SELECT 1 FROM steps n
    WHERE n.run_id = p.run_id AND n.job_id = p.job_id AND n.call_token = p.answer_call_token AND n.state = 'succeeded')`;

const PAYERS = `
SELECT r.run_id, r.job_id, count(*) AS answers, bool_or(a.is_noted) AS is_noted, max(r.latency_ms) AS latency_ms,
  count(coalesce(c.cost_nano_usd, r.cost_nano_usd)) AS priced, sum(coalesce(c.cost_nano_usd, r.cost_nano_usd)) AS cost_nano_usd
FROM (${ANSWERS}) a JOIN responses r ON r.call_token = a.token LEFT JOIN calls c ON c.call_token = r.call_token
GROUP BY r.run_id, r.job_id`;

const ORIGIN = `
SELECT y.run_id, y.job_id, max(y.latency_ms) OVER () AS latency_ms,
  CASE WHEN sum(y.answers) OVER () = sum(y.priced) OVER () THEN sum(y.cost_nano_usd) OVER () END AS cost_nano_usd
FROM (${PAYERS}) y ORDER BY y.answers DESC, y.is_noted DESC, y.run_id, y.job_id LIMIT 1`;

const SPENT = `
SELECT sum(c.uncached_input) AS uncached_input, sum(c.cache_read) AS cache_read, sum(c.cache_write) AS cache_write,
  sum(c.output) AS output, sum(c.reasoning) AS reasoning, count(*) AS calls,
  CASE WHEN count(*) FILTER (WHERE c.state = 'settled' AND c.cost_nano_usd IS NULL) = 0
    THEN coalesce(sum(c.cost_nano_usd) FILTER (WHERE c.state = 'settled'), 0) END AS cost_nano_usd
FROM calls c WHERE c.run_id = p.run_id AND c.job_id = p.job_id AND c.state IN ('sent', 'settled', 'unknown')`;

const TRIED = `
SELECT count(*) FILTER (WHERE a.counted) AS attempts, count(*) FILTER (WHERE a.outcome IN ('failed', 'lost') AND NOT a.final) AS retries
FROM attempts a WHERE a.run_id = p.run_id AND a.job_id = p.job_id`;

/** `where` finds the jobs, by an index in plan order; all else is looked up for each of them, whatever the planner thinks of their number. */
function selectJobs(where: string, limit: string): string {
  return `
WITH page AS MATERIALIZED (SELECT j.* FROM jobs j WHERE j.run_id = :runId AND ${where} ORDER BY j.seq ${limit})
SELECT p.seq, p.job_id, p.document_id, d.bytes_sha256, p.text_sha256, p.task, p.model, p.repeat, p.state, p.verdict, b.result,
  p.error_reason, p.error_message, p.cached, p.ended_at_ms,
  coalesce(s.uncached_input, 0) AS uncached_input, coalesce(s.cache_read, 0) AS cache_read, coalesce(s.cache_write, 0) AS cache_write,
  coalesce(s.output, 0) AS output, coalesce(s.reasoning, 0) AS reasoning, s.cost_nano_usd, s.calls, t.attempts, t.retries,
  o.latency_ms, o.run_id AS origin_run_id, o.job_id AS origin_job_id, o.cost_nano_usd AS origin_cost_nano_usd
FROM page p
JOIN LATERAL (SELECT bytes_sha256 FROM documents WHERE run_id = p.run_id AND document_id = p.document_id LIMIT 1) d ON true
LEFT JOIN LATERAL (SELECT result FROM job_results WHERE run_id = p.run_id AND job_id = p.job_id LIMIT 1) b ON true
CROSS JOIN LATERAL (${SPENT}) s
CROSS JOIN LATERAL (${TRIED}) t
LEFT JOIN LATERAL (${ORIGIN}) o ON true
ORDER BY p.seq`;
}

const PAGE = selectJobs('j.seq > :after', 'LIMIT :limit');
const FAILED_PAGE = selectJobs(`j.state = 'failed' AND j.seq > :after`, 'LIMIT :limit');
const SOME = selectJobs('j.job_id = ANY(:jobIds::text[])', '');
const WITHOUT_ARTIFACTS = selectJobs('j.artifacts_at_ms IS NULL AND j.ended_at_ms IS NOT NULL', 'LIMIT :limit');

/** In plan order. */
export function jobRows(sql: Sql, runId: string, page: { after: number; limit: number; onlyFailed?: boolean }): Promise<readonly JobRow[]> {
  const { after, limit, onlyFailed } = page;
  return select(sql, onlyFailed === true ? FAILED_PAGE : PAGE, { runId, after, limit });
}

/** Those of the ids that the run has, in plan order. */
export function jobRowsOf(sql: Sql, runId: string, jobIds: readonly string[]): Promise<readonly JobRow[]> {
  return select(sql, SOME, { runId, jobIds });
}

/** Ended jobs whose artifacts are not written yet, in plan order. */
export function jobsWithoutArtifacts(sql: Sql, runId: string, limit: number): Promise<readonly JobRow[]> {
  return select(sql, WITHOUT_ARTIFACTS, { runId, limit });
}

async function select(sql: Sql, text: string, params: Params): Promise<readonly JobRow[]> {
  return (await sql.all<JobColumns>(text, params)).map(jobRowOf);
}
