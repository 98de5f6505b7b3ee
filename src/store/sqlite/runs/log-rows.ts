import type { JobState } from '../../../domain/job.ts';
import type { Failure, Reason } from '../../../domain/reason.ts';
import type { Score } from '../../../domain/score.ts';
import type { StepKind } from '../../../domain/step.ts';
import type { JobVerdict } from '../../../domain/verdict.ts';
import type { LogPage, LogPlace, LogRow } from '../../log-rows.ts';
import { fromNullableJson, type Sql } from '../sql.ts';

type Row = {
  readonly kind: 'try' | 'job';
  readonly atMs: number;
  readonly id: number;
  readonly jobId: string;
  readonly documentId: string;
  readonly task: string;
  readonly model: string;
  readonly repeat: number;
  readonly outcome: Extract<LogRow, { kind: 'try' }>['outcome'] | null;
  readonly final: 0 | 1;
  readonly step: StepKind | null;
  readonly stepIndex: number;
  readonly number: number;
  readonly failure: string | null;
  readonly state: JobState;
  readonly verdict: JobVerdict | null;
  readonly cached: 0 | 1;
  readonly errorReason: Reason | null;
  readonly errorMessage: string | null;
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
export function logRows(sql: Sql, runId: string, { after, sinceMs, beforeMs, limit, onlyFailed, jobIds }: LogPage): readonly LogRow[] {
  const places = placesOf(after, sinceMs);
  const params = { runId, ...places, beforeMs, limit, onlyFailed: Number(onlyFailed) };
  const rows = jobIds === null ? sql.all<Row>(PAGE, params) : sql.all<Row>(PAGE_OF_JOBS, { ...params, jobIds: JSON.stringify(jobIds) });
  return rows.map(rowOf);
}

/** After which row of its own each side goes on: of one millisecond all tries come before all ends. */
function placesOf(after: LogPlace | null, sinceMs: number) {
  const start = { atMs: sinceMs, id: -1 };
  const reached = after === null || after.atMs < sinceMs ? null : after;
  const tries = reached === null ? start : { atMs: reached.atMs, id: reached.kind === 'try' ? reached.id : Number.MAX_SAFE_INTEGER };
  const ends = reached === null ? start : { atMs: reached.atMs, id: reached.kind === 'job' ? reached.id : -1 };
  return { triesAtMs: tries.atMs, triesId: tries.id, endsAtMs: ends.atMs, endsId: ends.id };
}

function rowOf(row: Row): LogRow {
  const { kind, atMs, id, jobId, documentId, task, model, repeat, outcome, step, number } = row;
  const told = { place: { atMs, kind, id }, job: { jobId, documentId, task, model, repeat } };
  if (outcome !== null && step !== null) {
    const failure = fromNullableJson<Failure>(row.failure);
    return { ...told, kind: 'try', outcome, final: row.final === 1, step, index: row.stepIndex, number, failure };
  }
  const { state, verdict, cached, errorReason, errorMessage } = row;
  const error = errorReason === null || errorMessage === null ? null : { reason: errorReason, message: errorMessage };
  const scores = fromNullableJson<readonly Score[]>(row.scores) ?? [];
  return { ...told, kind: 'job', state, verdict, cached: cached === 1, error, scores };
}
