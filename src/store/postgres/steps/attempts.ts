import type { Failure } from '../../../domain/reason.ts';
import type { AttemptRow } from '../../rows.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import type { Step } from './step-row.ts';

const APPEND = `
INSERT INTO attempts (run_id, job_id, step_id, number, call_token, outcome, failure, reason, counted, final, started_at_ms, ended_at_ms)
SELECT :runId, :jobId, :stepId::bigint, count(*) + 1, :callToken, :outcome, :failure::json, :reason, :counted::boolean, :final::boolean,
  :startedAtMs::bigint, :nowMs::bigint
FROM attempts WHERE step_id = :stepId`;

export type AttemptEnd = {
  readonly outcome: AttemptRow['outcome'];
  readonly callToken: string | null;
  readonly failure: Failure | null;
  /** Whether the try used up an attempt of its key. */
  readonly counted: boolean;
  /** Whether nothing follows it. */
  readonly final: boolean;
};

/** Appends one try of a step, which ends now. */
export function appendAttempt(tx: Tx, step: Step, { outcome, callToken, failure, counted, final }: AttemptEnd): void {
  tx.sql.send(APPEND, {
    runId: step.runId,
    jobId: step.jobId,
    stepId: step.stepId,
    callToken,
    outcome,
    failure: failure === null ? null : JSON.stringify(failure),
    reason: failure?.reason ?? null,
    counted,
    final,
    startedAtMs: step.leasedAtMs ?? tx.nowMs,
    nowMs: tx.nowMs,
  });
}

export const ATTEMPTS_STATEMENTS: StoredTexts = { changes: { APPEND } };
