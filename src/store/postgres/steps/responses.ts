import type { Completion } from '../../../domain/completion.ts';
import type { StepKind } from '../../../domain/step.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { openGatesForResponse } from './gates.ts';
import { settleByAnswer, unknownAnswered } from './ledger.ts';

type Recorded = { readonly runId: string; readonly key: string; readonly stepKind: StepKind };

const INSERT = `
INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms)
SELECT c.call_token, c.run_id, c.job_id, s.key, s.kind, :completion::json, :latencyMs::double precision, :mode, :nowMs::bigint
FROM calls c JOIN steps s ON s.step_id = c.step_id WHERE c.call_token = :token
ON CONFLICT (call_token) DO NOTHING RETURNING run_id, key, step_kind`;
const IS_KNOWN = `SELECT 1 AS found FROM responses WHERE call_token = :token`;

/** Keeps what came back, whoever asks and whatever became of the lease: it is paid for. */
export async function recordResponse(tx: Tx, token: string, completion: Completion): Promise<void> {
  const { latencyMs, mode } = completion;
  const values = { token, completion: JSON.stringify(completion), latencyMs, mode, nowMs: tx.nowMs };
  const [recorded, answered] = await Promise.all([tx.sql.one<Recorded>(INSERT, values), unknownAnswered(tx, token)]);
  if (recorded === undefined) {
    if ((await tx.sql.one(IS_KNOWN, { token })) === undefined) throw new Error(`No call ${token} in the ledger`);
    return;
  }
  await settleByAnswer(tx, token, answered);
  openGatesForResponse(tx, recorded.runId, recorded.key, recorded.stepKind);
}

export const RESPONSES_STATEMENTS: StoredTexts = { rows: { INSERT, IS_KNOWN } };
