import type { StepKind, StepState } from '../../../domain/step.ts';
import type { Sql } from '../sql.ts';
import type { StoredTexts } from '../stored-statement.ts';

/** A step as the store works with it. */
export type Step = {
  readonly stepId: number;
  readonly runId: string;
  readonly jobId: string;
  /** Of the job, as the manifest names it. */
  readonly model: string;
  readonly kind: StepKind;
  readonly stepIndex: number;
  readonly key: string | null;
  /** Unit of failure within the run: the key, or `finish:<jobId>`. */
  readonly failureKey: string;
  readonly laneId: string | null;
  readonly gate: string | null;
  readonly state: StepState;
  /** How it ended; `superseded`: its re-ask stands for it, or it is of an earlier round. */
  readonly outcome: string | null;
  readonly orderMs: number;
  readonly seq: number;
  readonly inputTokens: number;
  /** More than any tokenizer makes of it. */
  readonly maxInputTokens: number;
  /** Hash of the prompt's shared beginning. */
  readonly prefix: string | null;
  /** Only answers that came later count: a person asked for a new one. */
  readonly freshAfterMs: number | null;
  readonly leaseToken: string | null;
  readonly leaseOwner: string | null;
  readonly leasedAtMs: number | null;
  readonly deadlineAtMs: number | null;
  /** The call was sent and its attempt counted. */
  readonly counted: boolean;
};

/** A step that asks a model. */
export type CallStep = Step & { readonly key: string; readonly laneId: string; readonly kind: Exclude<StepKind, 'finish'> };

/** The unit of failure of a step `s`. */
export const FAILURE_KEY = `coalesce(s.key, 'finish:' || s.job_id)`;

/** Columns of a `Step`, for statements over `steps s`. */
export const STEP_COLUMNS = `
  s.step_id, s.run_id, s.job_id, (SELECT j.model FROM jobs j WHERE j.run_id = s.run_id AND j.job_id = s.job_id) AS model, s.kind, s.step_index,
  s.key, ${FAILURE_KEY} AS failure_key, s.lane_id, s.gate, s.state, s.outcome, s.order_ms, s.seq, s.input_tokens, s.max_input_tokens, s.prefix,
  s.fresh_after_ms, s.lease_token, s.lease_owner, s.leased_at_ms, s.deadline_at_ms, s.counted`;

const BY_LEASE = `SELECT ${STEP_COLUMNS} FROM steps s WHERE s.lease_token = :token AND s.state = 'running'`;

/** The running step that a token holds; `undefined` when the lease was lost. */
export function stepOfLease(sql: Sql, token: string): Promise<Step | undefined> {
  return sql.one<Step>(BY_LEASE, { token });
}

/** Narrows to a call step; throws for a finish step, which has no call. */
export function callStep(step: Step): CallStep {
  const { key, laneId, kind } = step;
  if (key === null || laneId === null || kind === 'finish') throw new Error(`Step ${step.stepId} (${kind}) makes no call`);
  return { ...step, key, laneId, kind };
}

export const STEP_ROW_STATEMENTS: StoredTexts = { rows: { BY_LEASE } };
