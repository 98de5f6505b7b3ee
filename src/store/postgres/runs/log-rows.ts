import type { JobResult } from '../../../domain/result.ts';
import { type LogColumns, logRowOf, logStarts } from '../../log-columns.ts';
import type { LogPage, LogRow } from '../../log-rows.ts';
import type { Sql } from '../sql.ts';

const ALL = (table: string) => table;
/** By its own index, though the rows must be sorted then: few jobs have few rows, and the log may be long. */
const OF_JOBS = (table: string) => `(SELECT * FROM ${table} WHERE run_id = :runId AND job_id = ANY(:jobIds::text[]) OFFSET 0) own`;

/** Each side is read from its index in its order, so that a page costs what a page holds, however long the log is. */
function selectPage(rowsOf: (table: string) => string): string {
  return `
WITH
tries AS MATERIALIZED (
  SELECT ended_at_ms, attempt_id, run_id, job_id, outcome, final, step_id, number, failure
  FROM ${rowsOf('attempts')}
  WHERE run_id = :runId AND (ended_at_ms, attempt_id) > (:triesAtMs::bigint, :triesId::bigint) AND ended_at_ms < :beforeMs
    AND outcome IN ('failed', 'lost', 'superseded', 'downgraded') AND (NOT :onlyFailed OR outcome IN ('failed', 'lost'))
  ORDER BY ended_at_ms, attempt_id LIMIT :limit),
ends AS MATERIALIZED (
  SELECT ended_at_ms, seq, run_id, job_id
  FROM ${rowsOf('jobs')}
  WHERE run_id = :runId AND ended_at_ms IS NOT NULL AND (ended_at_ms, seq) > (:endsAtMs::bigint, :endsId::bigint)
    AND ended_at_ms < :beforeMs AND (NOT :onlyFailed OR verdict IN ('fail', 'error'))
  ORDER BY ended_at_ms, seq LIMIT :limit),
page AS MATERIALIZED (
  SELECT 'try' AS kind, ended_at_ms, attempt_id AS id, run_id, job_id, outcome, final, step_id, number, failure FROM tries
  UNION ALL
  SELECT 'job', ended_at_ms, seq, run_id, job_id, NULL, false, NULL, 0, NULL FROM ends
  ORDER BY ended_at_ms, kind DESC, id LIMIT :limit)
SELECT p.kind, p.ended_at_ms AS at_ms, p.id, p.job_id, j.document_id, j.task, j.model, j.repeat, p.outcome, p.final, s.kind AS step,
  coalesce(s.step_index, 0) AS step_index, p.number, p.failure, j.state, j.verdict, j.cached, j.error_reason, j.error_message,
  CASE WHEN p.kind = 'job' AND j.verdict IN ('fail', 'review') THEN r.result END AS result
FROM page p
JOIN jobs j ON j.run_id = p.run_id AND j.job_id = p.job_id
LEFT JOIN job_results r ON r.run_id = p.run_id AND r.job_id = p.job_id
LEFT JOIN steps s ON s.step_id = p.step_id
ORDER BY p.ended_at_ms, p.kind DESC, p.id`;
}

const PAGE = selectPage(ALL);
const PAGE_OF_JOBS = selectPage(OF_JOBS);

type Row = Omit<LogColumns, 'scores'> & { readonly result: JobResult | null };

/** What happened in a run, oldest first. */
export async function logRows(sql: Sql, runId: string, page: LogPage): Promise<readonly LogRow[]> {
  const { beforeMs, limit, onlyFailed, jobIds } = page;
  const params = { runId, ...logStarts(page), beforeMs, limit, onlyFailed };
  const rows = jobIds === null ? await sql.all<Row>(PAGE, params) : await sql.all<Row>(PAGE_OF_JOBS, { ...params, jobIds });
  return rows.map(({ result, ...row }) => logRowOf({ ...row, scores: result?.scores ?? null }));
}
