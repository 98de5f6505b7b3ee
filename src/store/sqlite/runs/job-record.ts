import type { Json } from '../../../domain/canonical-json.ts';
import type { Part } from '../../../domain/part.ts';
import type { Failure } from '../../../domain/reason.ts';
import type { AttemptRow, CallRow, JobRecord, StepRow } from '../../rows.ts';
import { fromNullableJson, type Sql } from '../sql.ts';
import { jobRowsOf } from './job-rows.ts';

type Of = { readonly runId: string; readonly jobIds: string };

/** Everything about those of the jobs that the run has, in plan order. */
export function jobRecords(sql: Sql, runId: string, jobIds: readonly string[]): readonly JobRecord[] {
  const of = { runId, jobIds: JSON.stringify(jobIds) };
  const [steps, attempts, calls] = [stepRows(sql, of), attemptRows(sql, of), callRows(sql, of)];
  return jobRowsOf(sql, runId, jobIds).map((job) => {
    const { jobId } = job;
    return { job, steps: steps.get(jobId) ?? [], attempts: attempts.get(jobId) ?? [], calls: calls.get(jobId) ?? [] };
  });
}

type OfJob<Row> = Row & { readonly jobId: string };

/** In the order of the rows, without the name of their job. */
function byJob<Row, Kept>(
  rows: readonly OfJob<Row>[],
  keep: (row: Omit<OfJob<Row>, 'jobId'>) => Kept,
): ReadonlyMap<string, readonly Kept[]> {
  const kept = new Map<string, Kept[]>();
  for (const { jobId, ...row } of rows) {
    const own = kept.get(jobId);
    if (own === undefined) kept.set(jobId, [keep(row)]);
    else own.push(keep(row));
  }
  return kept;
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

function stepRows(sql: Sql, of: Of): ReadonlyMap<string, readonly StepRow[]> {
  return byJob(sql.all<OfJob<StepColumns>>(SELECT_STEPS, of), ({ keyRecord, part, prompt, paidBy, ...row }) => ({
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

function attemptRows(sql: Sql, of: Of): ReadonlyMap<string, readonly AttemptRow[]> {
  const rows = sql.all<OfJob<AttemptColumns>>(SELECT_ATTEMPTS, of);
  return byJob(rows, (row) => ({ ...row, failure: fromNullableJson<Failure>(row.failure) }));
}

const SELECT_CALLS = `
SELECT job_id AS jobId, call_token AS callToken, step_id AS stepId, state, uncached_input AS uncachedInput, cache_read AS cacheRead,
  cache_write AS cacheWrite, output, reasoning, cost_nano_usd AS costNanoUsd, sent_at_ms AS sentAtMs, settled_at_ms AS settledAtMs
FROM calls WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)) ORDER BY reserved_at_ms, rowid`;

type CallColumns = Omit<CallRow, 'usage'> & {
  readonly uncachedInput: number | null;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

function callRows(sql: Sql, of: Of): ReadonlyMap<string, readonly CallRow[]> {
  return byJob(sql.all<OfJob<CallColumns>>(SELECT_CALLS, of), ({ uncachedInput, cacheRead, cacheWrite, output, reasoning, ...call }) => ({
    ...call,
    usage: uncachedInput === null ? null : { uncachedInput, cacheRead, cacheWrite, output, reasoning },
  }));
}
