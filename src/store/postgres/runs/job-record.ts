import type { StepInput } from '../../../domain/part.ts';
import { type CallColumns, jobRecordsOf, type OfJob } from '../../job-record.ts';
import type { AttemptRow, JobRecord, StepRow } from '../../rows.ts';
import type { Sql } from '../sql.ts';
import { jobRowsOf } from './job-rows.ts';

/** Everything about those of the jobs that the run has, in plan order. */
export async function jobRecords(sql: Sql, runId: string, jobIds: readonly string[]): Promise<readonly JobRecord[]> {
  const of = { runId, jobIds };
  return jobRecordsOf({
    jobs: await jobRowsOf(sql, runId, jobIds),
    steps: (await sql.all<StepColumns>(SELECT_STEPS, of)).map(stepRowOf),
    attempts: await sql.all<OfJob<AttemptRow>>(SELECT_ATTEMPTS, of),
    calls: await sql.all<OfJob<CallColumns>>(SELECT_CALLS, of),
  });
}

// Fields of what holds words of a document are taken from it outside: PostgreSQL would stumble over a NUL in any of them.
const SELECT_STEPS = `
SELECT s.job_id, s.step_id, s.kind, s.step_index AS index, s.key, s.state, s.outcome, s.run_at_ms, s.call_token, s.lease_owner,
  s.lease_expires_at_ms, k.record AS key_record, i.input, r.run_id AS payer_run_id, r.job_id AS payer_job_id
FROM steps s LEFT JOIN key_records k ON k.key = s.key LEFT JOIN step_inputs i ON i.step_id = s.step_id
LEFT JOIN responses r ON r.call_token = s.call_token
WHERE s.run_id = :runId AND s.job_id = ANY(:jobIds::text[]) ORDER BY s.step_id`;

type StepColumns = OfJob<Omit<StepRow, 'part' | 'prompt' | 'paidBy'>> & {
  readonly input: StepInput | null;
  readonly payerRunId: string | null;
  readonly payerJobId: string | null;
};

function stepRowOf({ input, payerRunId, payerJobId, ...row }: StepColumns): OfJob<StepRow> {
  return {
    ...row,
    part: input?.kind === 'part' ? input.part : null,
    prompt: input?.kind === 'prompt' ? { system: input.system, prompt: input.prompt } : null,
    paidBy: payerRunId === null || payerJobId === null ? null : { runId: payerRunId, jobId: payerJobId },
  };
}

const SELECT_ATTEMPTS = `
SELECT job_id, step_id, number, call_token, outcome, failure, started_at_ms, ended_at_ms
FROM attempts WHERE run_id = :runId AND job_id = ANY(:jobIds::text[]) ORDER BY attempt_id`;

const SELECT_CALLS = `
SELECT job_id, call_token, step_id, state, uncached_input, cache_read, cache_write, output, reasoning, cost_nano_usd, sent_at_ms, settled_at_ms
FROM calls WHERE run_id = :runId AND job_id = ANY(:jobIds::text[]) ORDER BY reserved_at_ms, position`;
