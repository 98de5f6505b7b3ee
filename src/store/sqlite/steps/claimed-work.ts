import type { Json } from '../../../domain/canonical-json.ts';
import type { Completion, StructuredMode } from '../../../domain/completion.ts';
import type { Part, StepInput } from '../../../domain/part.ts';
import { rateOf } from '../../estimate.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { CallWork, Claim, ClaimedJob, FinishWork, JudgeWork, ReaskInput, StepAnswer } from '../../work.ts';
import { fromJson, fromNullableJson } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { keyFacts } from './failures.ts';
import type { Lease } from './leases.ts';
import { inputOf } from './step-inputs.ts';
import type { CallStep, Step } from './step-row.ts';

const SELECT_JOB = `
SELECT job_id AS jobId, document_id AS documentId, text_sha256 AS textSha256, task, model, repeat
FROM jobs WHERE run_id = :runId AND job_id = :jobId`;

/** A leased step as its worker gets it. */
export function claimOf(tx: Tx, step: Step, held: Lease, work: Claim['work']): Claim {
  const job = tx.sql.one<ClaimedJob>(SELECT_JOB, { runId: step.runId, jobId: step.jobId });
  if (job === undefined) throw new Error(`Step ${step.stepId} has no job`);
  return { token: held.token, runId: step.runId, stepId: step.stepId, job, claimedAtMs: tx.nowMs, deadlineAtMs: held.deadlineAtMs, work };
}

/** `warms`: others wait for this call's first token. */
export function callWork(tx: Tx, run: RunFacts, step: CallStep, warms: boolean): CallWork {
  const { attempts, reason } = keyFacts(tx.sql, step.runId, step.key);
  return {
    kind: 'call',
    stepKind: step.kind,
    key: step.key,
    attempts,
    lastFailure: reason,
    inputTokens: step.inputTokens,
    rate: rateOf(run, step.model),
    prefix: step.prefix,
    warms,
    mode: rememberedMode(tx, step),
    reask: fromNullableJson<ReaskInput>(step.reask),
    input: inputOf(tx, step.stepId),
  };
}

const SELECT_COMPLETION = `SELECT completion FROM responses WHERE call_token = :callToken`;

export function judgeWork(tx: Tx, run: RunFacts, step: CallStep, callToken: string): JudgeWork {
  const row = tx.sql.one<{ completion: string }>(SELECT_COMPLETION, { callToken });
  if (row === undefined) throw new Error(`No response of call ${callToken}`);
  return {
    kind: 'judge',
    stepKind: step.kind,
    key: step.key,
    inputTokens: step.inputTokens,
    rate: rateOf(run, step.model),
    callToken,
    completion: fromJson<Completion>(row.completion),
    reask: fromNullableJson<ReaskInput>(step.reask),
    input: inputOf(tx, step.stepId),
  };
}

type AnswerRow = Omit<StepAnswer, 'answer' | 'repaired' | 'asked'> & {
  readonly answer: string;
  readonly repaired: 0 | 1;
  readonly asks: StepInput['kind'] | null;
  readonly part: string | null;
};

const SELECT_ANSWERS = `
SELECT s.kind AS stepKind, s.step_index AS "index", s.call_token AS callToken, r.answer, r.repaired, r.mode,
  i.input ->> '$.kind' AS asks, i.input -> '$.part' AS part
FROM steps s JOIN responses r ON r.call_token = s.call_token LEFT JOIN step_inputs i ON i.step_id = s.step_id
WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded' AND s.outcome IN ('answered', 'cached')
ORDER BY asks IS 'prompt', s.step_index, s.step_id`;

/** The answers of a job's call steps, the parts' in order and the reduce last; a superseded one is left out, its re-ask stands for it. */
export function finishWork(tx: Tx, step: Step): FinishWork {
  const rows = tx.sql.all<AnswerRow>(SELECT_ANSWERS, { runId: step.runId, jobId: step.jobId });
  return { kind: 'finish', answers: rows.map(answerOf) };
}

function answerOf({ asks, part, answer, repaired, ...row }: AnswerRow): StepAnswer {
  return { ...row, asked: askedOf(asks, part), answer: fromJson<Json>(answer), repaired: repaired === 1 };
}

function askedOf(asks: AnswerRow['asks'], part: string | null): StepAnswer['asked'] {
  if (asks === 'prompt') return { kind: 'reduce' };
  return part === null ? { kind: 'whole' } : { kind: 'part', part: fromJson<Part>(part) };
}

// A mode belongs to an endpoint's model, whatever the manifest calls it; both stand in the key's record.
const MODE_OWNER = `
SELECT coalesce(k.record ->> '$.endpoint', s.lane_id) AS endpoint, coalesce(k.record ->> '$.model', j.model) AS model
FROM steps s JOIN jobs j USING (run_id, job_id) JOIN key_records k ON k.key = s.key
WHERE s.step_id = :stepId`;
const SELECT_MODE = `SELECT mode FROM model_modes WHERE (endpoint, model) = (${MODE_OWNER})`;
const REMEMBER_MODE = `
INSERT INTO model_modes (endpoint, model, mode) SELECT endpoint, model, :mode FROM (${MODE_OWNER}) WHERE true
ON CONFLICT (endpoint, model) DO UPDATE SET mode = excluded.mode`;

function rememberedMode(tx: Tx, step: CallStep): StructuredMode | null {
  return tx.sql.one<{ mode: StructuredMode }>(SELECT_MODE, { stepId: step.stepId })?.mode ?? null;
}

/** The endpoint's model cannot do what was asked of it: the next calls start with `mode`. */
export function rememberMode(tx: Tx, stepId: number, mode: StructuredMode): void {
  tx.sql.runOne(REMEMBER_MODE, { stepId, mode });
}
