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

/** Where tries and ends are read from, and how they are found. */
type Source = { readonly attempts: string; readonly jobs: string };

/** Each side from its index in its order, so that a page costs what a page holds, however long the log is. */
const ALL: Source = { attempts: 'FROM attempts a WHERE a.run_id = :runId', jobs: 'FROM jobs j WHERE j.run_id = :runId' };

// CROSS JOIN: from the few jobs outwards; else the whole log is read for what concerns them.
const OF_JOBS: Source = {
  attempts: 'FROM json_each(:jobIds) w CROSS JOIN attempts a INDEXED BY attempts_of_job WHERE a.run_id = :runId AND a.job_id = w.value',
  jobs: 'FROM json_each(:jobIds) w CROSS JOIN jobs j WHERE j.run_id = :runId AND j.job_id = w.value',
};

function selectPage({ attempts, jobs }: Source): string {
  return `
WITH
tries AS (
  SELECT 'try' AS kind, a.ended_at_ms, a.attempt_id AS id, a.run_id, a.job_id, a.outcome, a.final, a.step_id, a.number, a.failure
  ${attempts} AND (a.ended_at_ms, a.attempt_id) > (:triesAtMs, :triesId) AND a.ended_at_ms < :beforeMs
    AND a.outcome IN ('failed', 'lost', 'superseded', 'downgraded') AND (:onlyFailed = 0 OR a.outcome IN ('failed', 'lost'))
  ORDER BY a.ended_at_ms, a.attempt_id LIMIT :limit),
ends AS (
  SELECT 'job' AS kind, j.ended_at_ms, j.seq AS id, j.run_id, j.job_id
  ${jobs} AND j.ended_at_ms IS NOT NULL AND (j.ended_at_ms, j.seq) > (:endsAtMs, :endsId) AND j.ended_at_ms < :beforeMs
    AND (:onlyFailed = 0 OR j.verdict IN ('fail', 'error'))
  ORDER BY j.ended_at_ms, j.seq LIMIT :limit),
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

const PAGE = selectPage(ALL);
const PAGE_OF_JOBS = selectPage(OF_JOBS);

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
