import type { Json } from '../../../domain/canonical-json.ts';
import type { Part } from '../../../domain/part.ts';
import type { Failure } from '../../../domain/reason.ts';
import type { AttemptRow, CallRow, JobRecord, StepRow } from '../../rows.ts';
import { fromNullableJson, type Sql } from '../sql.ts';
import { jobRow } from './job-rows.ts';

type JobRef = { readonly runId: string; readonly jobId: string };

/** Everything about one job; `null` when the run has none of that id. */
export function jobRecord(sql: Sql, runId: string, jobId: string): JobRecord | null {
  const job = jobRow(sql, runId, jobId);
  if (job === null) return null;
  const ref = { runId, jobId };
  return { job, steps: stepRows(sql, ref), attempts: attemptRows(sql, ref), calls: callRows(sql, ref) };
}

const SELECT_STEPS = `
SELECT s.step_id AS stepId, s.kind, s.step_index AS "index", s.key, s.state, s.outcome, s.run_at_ms AS runAtMs,
  s.call_token AS callToken, s.lease_owner AS leaseOwner, s.lease_expires_at_ms AS leaseExpiresAtMs, k.record AS keyRecord,
  i.input -> '$.part' AS part,
  iif(i.input ->> '$.kind' = 'prompt', json_object('system', i.input -> '$.system', 'prompt', i.input -> '$.prompt'), NULL) AS prompt,
  iif(r.call_token IS NULL, NULL, json_object('runId', r.run_id, 'jobId', r.job_id)) AS paidBy
FROM steps s LEFT JOIN key_records k ON k.key = s.key LEFT JOIN step_inputs i ON i.step_id = s.step_id
LEFT JOIN responses r ON r.call_token = s.call_token
WHERE s.run_id = :runId AND s.job_id = :jobId ORDER BY s.step_id`;

type JsonColumn = 'keyRecord' | 'part' | 'prompt' | 'paidBy';
type StepColumns = Omit<StepRow, JsonColumn> & { readonly [column in JsonColumn]: string | null };

function stepRows(sql: Sql, ref: JobRef): readonly StepRow[] {
  return sql.all<StepColumns>(SELECT_STEPS, ref).map(({ keyRecord, part, prompt, paidBy, ...row }) => ({
    ...row,
    keyRecord: fromNullableJson<Json>(keyRecord),
    part: fromNullableJson<Part>(part),
    prompt: fromNullableJson<NonNullable<StepRow['prompt']>>(prompt),
    paidBy: fromNullableJson<NonNullable<StepRow['paidBy']>>(paidBy),
  }));
}

const SELECT_ATTEMPTS = `
SELECT step_id AS stepId, number, call_token AS callToken, outcome, failure, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs
FROM attempts WHERE run_id = :runId AND job_id = :jobId ORDER BY attempt_id`;

function attemptRows(sql: Sql, ref: JobRef): readonly AttemptRow[] {
  const rows = sql.all<Omit<AttemptRow, 'failure'> & { readonly failure: string | null }>(SELECT_ATTEMPTS, ref);
  return rows.map((row) => ({ ...row, failure: fromNullableJson<Failure>(row.failure) }));
}

const SELECT_CALLS = `
SELECT call_token AS callToken, step_id AS stepId, state, uncached_input AS uncachedInput, cache_read AS cacheRead,
  cache_write AS cacheWrite, output, reasoning, cost_nano_usd AS costNanoUsd, sent_at_ms AS sentAtMs, settled_at_ms AS settledAtMs
FROM calls WHERE run_id = :runId AND job_id = :jobId ORDER BY reserved_at_ms, rowid`;

type CallColumns = Omit<CallRow, 'usage'> & {
  readonly uncachedInput: number | null;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

function callRows(sql: Sql, ref: JobRef): readonly CallRow[] {
  return sql.all<CallColumns>(SELECT_CALLS, ref).map(({ uncachedInput, cacheRead, cacheWrite, output, reasoning, ...call }) => ({
    ...call,
    usage: uncachedInput === null ? null : { uncachedInput, cacheRead, cacheWrite, output, reasoning },
  }));
}
