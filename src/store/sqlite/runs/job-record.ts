import type { Json } from '../../../domain/canonical-json.ts';
import type { Part } from '../../../domain/part.ts';
import type { Failure } from '../../../domain/reason.ts';
import { type CallColumns, jobRecordsOf, type OfJob } from '../../job-record.ts';
import type { AttemptRow, JobRecord, StepRow } from '../../rows.ts';
import { fromNullableJson, type Sql } from '../sql.ts';
import { jobRowsOf } from './job-rows.ts';

type Of = { readonly runId: string; readonly jobIds: string };

/** Everything about those of the jobs that the run has, in plan order. */
export function jobRecords(sql: Sql, runId: string, jobIds: readonly string[]): readonly JobRecord[] {
  const of = { runId, jobIds: JSON.stringify(jobIds) };
  const calls = sql.all<OfJob<CallColumns>>(SELECT_CALLS, of);
  return jobRecordsOf({ jobs: jobRowsOf(sql, runId, jobIds), steps: stepRows(sql, of), attempts: attemptRows(sql, of), calls });
}

const SELECT_STEPS = `
SELECT s.job_id AS jobId, s.step_id AS stepId, s.kind, s.step_index AS "index", s.key, s.state, s.outcome, s.run_at_ms AS runAtMs,
  s.call_token AS callToken, s.lease_owner AS leaseOwner, s.lease_expires_at_ms AS leaseExpiresAtMs, k.record AS keyRecord,
  i.input -> '$.part' AS part,
  iif(i.input ->> '$.kind' = 'prompt', json_object('system', i.input -> '$.system', 'prompt', i.input -> '$.prompt'), NULL) AS prompt,
  iif(r.call_token IS NULL, NULL, json_object('runId', r.run_id, 'jobId', r.job_id)) AS paidBy
FROM steps s LEFT JOIN key_records k ON k.key = s.key LEFT JOIN step_inputs i ON i.step_id = s.step_id
LEFT JOIN responses r ON r.call_token = s.call_token
WHERE s.run_id = :runId AND s.job_id IN (SELECT value FROM json_each(:jobIds)) ORDER BY s.step_id`;

type JsonColumn = 'keyRecord' | 'part' | 'prompt' | 'paidBy';
type StepColumns = Omit<StepRow, JsonColumn> & { readonly [column in JsonColumn]: string | null };

function stepRows(sql: Sql, of: Of): OfJob<StepRow>[] {
  return sql.all<OfJob<StepColumns>>(SELECT_STEPS, of).map(({ keyRecord, part, prompt, paidBy, ...row }) => ({
    ...row,
    keyRecord: fromNullableJson<Json>(keyRecord),
    part: fromNullableJson<Part>(part),
    prompt: fromNullableJson<NonNullable<StepRow['prompt']>>(prompt),
    paidBy: fromNullableJson<NonNullable<StepRow['paidBy']>>(paidBy),
  }));
}

const SELECT_ATTEMPTS = `
SELECT job_id AS jobId, step_id AS stepId, number, call_token AS callToken, outcome, failure, started_at_ms AS startedAtMs, ended_at_ms AS endedAtMs
FROM attempts WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)) ORDER BY attempt_id`;

type AttemptColumns = Omit<AttemptRow, 'failure'> & { readonly failure: string | null };

function attemptRows(sql: Sql, of: Of): OfJob<AttemptRow>[] {
  const rows = sql.all<OfJob<AttemptColumns>>(SELECT_ATTEMPTS, of);
  return rows.map((row) => ({ ...row, failure: fromNullableJson<Failure>(row.failure) }));
}

const SELECT_CALLS = `
SELECT job_id AS jobId, call_token AS callToken, step_id AS stepId, state, uncached_input AS uncachedInput, cache_read AS cacheRead,
  cache_write AS cacheWrite, output, reasoning, cost_nano_usd AS costNanoUsd, sent_at_ms AS sentAtMs, settled_at_ms AS settledAtMs
FROM calls WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)) ORDER BY reserved_at_ms, rowid`;
