import type { Failure } from '../../../domain/reason.ts';
import type { Score } from '../../../domain/score.ts';
import { type LogColumns, logRowOf, logStarts } from '../../log-columns.ts';
import type { LogPage, LogRow } from '../../log-rows.ts';
import { fromNullableJson, type Sql } from '../sql.ts';

type Row = Omit<LogColumns, 'final' | 'cached' | 'failure' | 'scores'> & {
  readonly final: 0 | 1;
  readonly cached: 0 | 1;
  readonly failure: string | null;
  readonly scores: string | null;
};

const ALL_JOBS = '';
const SOME_JOBS = 'AND job_id IN (SELECT value FROM json_each(:jobIds))';

/** Each side is read from its index in its order, so that a page costs what a page holds, however long the log is. */
function selectPage(jobs: string): string {
  return `
WITH
tries AS (
  SELECT 'try' AS kind, ended_at_ms, attempt_id AS id, run_id, job_id, outcome, final, step_id, number, failure
  FROM attempts
  WHERE run_id = :runId AND (ended_at_ms, attempt_id) > (:triesAtMs, :triesId) AND ended_at_ms < :beforeMs
    AND outcome IN ('failed', 'lost', 'superseded', 'downgraded') AND (:onlyFailed = 0 OR outcome IN ('failed', 'lost')) ${jobs}
  ORDER BY ended_at_ms, attempt_id LIMIT :limit),
ends AS (
  SELECT 'job' AS kind, ended_at_ms, seq AS id, run_id, job_id
  FROM jobs
  WHERE run_id = :runId AND ended_at_ms IS NOT NULL AND (ended_at_ms, seq) > (:endsAtMs, :endsId) AND ended_at_ms < :beforeMs
    AND (:onlyFailed = 0 OR verdict IN ('fail', 'error')) ${jobs}
  ORDER BY ended_at_ms, seq LIMIT :limit),
page AS (
  SELECT kind, ended_at_ms, id, run_id, job_id, outcome, final, step_id, number, failure FROM tries
  UNION ALL
  SELECT kind, ended_at_ms, id, run_id, job_id, NULL, 0, NULL, 0, NULL FROM ends
  ORDER BY ended_at_ms, kind DESC, id LIMIT :limit)
SELECT p.kind, p.ended_at_ms AS atMs, p.id, p.job_id AS jobId, j.document_id AS documentId, j.task, j.model, j.repeat,
  p.outcome, p.final, s.kind AS step, coalesce(s.step_index, 0) AS stepIndex, p.number, p.failure, j.state, j.verdict, j.cached,
  j.error_reason AS errorReason, j.error_message AS errorMessage,
  iif(p.kind = 'job' AND j.verdict IN ('fail', 'review'), j.result -> '$.scores', NULL) AS scores
FROM page p
JOIN jobs j ON j.run_id = p.run_id AND j.job_id = p.job_id
LEFT JOIN steps s ON s.step_id = p.step_id
ORDER BY p.ended_at_ms, p.kind DESC, p.id`;
}

const PAGE = selectPage(ALL_JOBS);
const PAGE_OF_JOBS = selectPage(SOME_JOBS);

/** What happened in a run, oldest first. */
export function logRows(sql: Sql, runId: string, page: LogPage): readonly LogRow[] {
  const { beforeMs, limit, onlyFailed, jobIds } = page;
  const params = { runId, ...logStarts(page), beforeMs, limit, onlyFailed: Number(onlyFailed) };
  const rows = jobIds === null ? sql.all<Row>(PAGE, params) : sql.all<Row>(PAGE_OF_JOBS, { ...params, jobIds: JSON.stringify(jobIds) });
  return rows.map(({ final, cached, failure, scores, ...row }) =>
    logRowOf({
      ...row,
      final: final === 1,
      cached: cached === 1,
      failure: fromNullableJson<Failure>(failure),
      scores: fromNullableJson<readonly Score[]>(scores),
    }),
  );
}
