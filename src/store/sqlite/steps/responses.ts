import type { Completion } from '../../../domain/completion.ts';
import type { StepKind } from '../../../domain/step.ts';
import type { Tx } from '../transactor.ts';
import { openGatesForResponse } from './hits.ts';
import { settleByAnswer } from './ledger.ts';

type CallFacts = { readonly runId: string; readonly jobId: string; readonly key: string; readonly kind: StepKind };

const SELECT_CALL = `
SELECT c.run_id AS runId, c.job_id AS jobId, s.key, s.kind FROM calls c JOIN steps s ON s.step_id = c.step_id
WHERE c.call_token = :token`;

const INSERT = `
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms)
VALUES (:token, :runId, :jobId, :key, :kind, :completion, :latencyMs, :mode, :nowMs)
ON CONFLICT (call_token) DO NOTHING`;

/** Keeps what came back, whoever asks and whatever became of the lease: it is paid for. */
export function recordResponse(tx: Tx, token: string, completion: Completion): void {
  const call = tx.sql.one<CallFacts>(SELECT_CALL, { token });
  if (call === undefined) throw new Error(`No call ${token} in the ledger`);
  const { latencyMs, mode } = completion;
  const changes = tx.sql.run(INSERT, { ...call, token, completion: JSON.stringify(completion), latencyMs, mode, nowMs: tx.nowMs });
  if (changes === 0) return;
  settleByAnswer(tx, token);
  openGatesForResponse(tx, call.runId, call.key, call.kind);
}
