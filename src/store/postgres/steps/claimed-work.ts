import type { Json } from '../../../domain/canonical-json.ts';
import type { Completion, StructuredMode } from '../../../domain/completion.ts';
import type { Part, StepInput } from '../../../domain/part.ts';
import type { Reason } from '../../../domain/reason.ts';
import { rateOf } from '../../estimate.ts';
import type { RunFacts } from '../../run-facts.ts';
import type { Claim, ClaimedJob, ReaskInput, StepAnswer } from '../../work.ts';
import type { JobRef } from '../runs/jobs.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import type { Lease } from './leases.ts';
import type { CallStep, Step } from './step-row.ts';

const JOB_COLUMNS = 'j.job_id, j.document_id, j.text_sha256, j.task, j.model, j.repeat';

// A mode belongs to an endpoint's model, whatever the manifest calls it; both stand in the key's record.
const MODE_OWNER = 'coalesce(k.endpoint, s.lane_id) AS endpoint, coalesce(k.model, j.model) AS model';

const SELECT_CALL = `
SELECT ${JOB_COLUMNS}, coalesce(f.attempts, 0) AS attempts, f.reason, i.input, i.reask,
  (SELECT m.mode FROM model_modes m WHERE m.endpoint = coalesce(k.endpoint, s.lane_id) AND m.model = coalesce(k.model, j.model)) AS mode
FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id JOIN key_records k ON k.key = s.key
  LEFT JOIN keys f ON f.run_id = s.run_id AND f.key = s.key LEFT JOIN step_inputs i ON i.step_id = s.step_id
WHERE s.step_id = :stepId`;

export type CallRow = ClaimedJob & {
  readonly attempts: number;
  readonly reason: Reason | null;
  readonly input: StepInput | null;
  readonly reask: ReaskInput | null;
  readonly mode: StructuredMode | null;
};

/** What a step asks, before or after it is leased. */
export async function callRow(tx: Tx, { stepId }: Step): Promise<CallRow> {
  const row = await tx.sql.one<CallRow>(SELECT_CALL, { stepId });
  if (row === undefined) throw new Error(`Step ${stepId} has no job`);
  return row;
}

/** The call of a step; `warms`: others wait for its first token. */
export function callWork(run: RunFacts, step: CallStep, row: CallRow, warms: boolean): JobWork {
  const { attempts, reason, input, reask, mode, ...job } = row;
  const { kind: stepKind, key, inputTokens, prefix } = step;
  const rate = rateOf(run, step.model);
  const call = { stepKind, key, attempts, lastFailure: reason, inputTokens, rate, prefix, warms, mode, reask, input } as const;
  return { job, work: { kind: 'call', ...call } };
}

const SELECT_COMPLETION = `SELECT completion FROM responses WHERE call_token = :callToken`;

/** The judging of an answer that is there. */
export async function judgeWork(tx: Tx, run: RunFacts, step: CallStep, asked: { row: CallRow; callToken: string }): Promise<JobWork> {
  const { callToken } = asked;
  const { input, reask, attempts, reason, mode, ...job } = asked.row;
  const found = await tx.sql.one<{ completion: Completion }>(SELECT_COMPLETION, { callToken });
  if (found === undefined) throw new Error(`No response of call ${callToken}`);
  const { kind: stepKind, key, inputTokens } = step;
  const rate = rateOf(run, step.model);
  return { job, work: { kind: 'judge', stepKind, key, inputTokens, rate, callToken, completion: found.completion, reask, input } };
}

/** Work, and the job that it is of. */
export type JobWork = Pick<Claim, 'job' | 'work'>;

export function claimOf(tx: Tx, step: Step, { token, deadlineAtMs }: Lease, { job, work }: JobWork): Claim {
  return { token, runId: step.runId, stepId: step.stepId, job, claimedAtMs: tx.nowMs, deadlineAtMs, work };
}

const SELECT_JOB = `SELECT ${JOB_COLUMNS} FROM jobs j WHERE j.run_id = :runId AND j.job_id = :jobId`;

const SELECT_ANSWERS = `
SELECT s.kind AS step_kind, s.step_index AS index, s.call_token, r.answer, r.repaired, r.mode, i.input_kind AS asks,
  i.input -> 'part' AS part
FROM steps s JOIN responses r ON r.call_token = s.call_token LEFT JOIN step_inputs i ON i.step_id = s.step_id
WHERE s.run_id = :runId AND s.job_id = :jobId AND s.state = 'succeeded' AND s.outcome IN ('answered', 'cached')
ORDER BY i.input_kind IS NOT DISTINCT FROM 'prompt', s.step_index, s.step_id`;

type AnswerRow = Omit<StepAnswer, 'asked'> & { readonly answer: Json; readonly asks: StepInput['kind'] | null; readonly part: Part | null };

/** The finish of a job, with the answers of its call steps: the parts' in order and the reduce last; a superseded one is left out, its re-ask stands for it. */
export async function finishWork(tx: Tx, { runId, jobId }: JobRef): Promise<JobWork> {
  const [job, answers] = await Promise.all([
    tx.sql.one<ClaimedJob>(SELECT_JOB, { runId, jobId }),
    tx.sql.all<AnswerRow>(SELECT_ANSWERS, { runId, jobId }),
  ]);
  if (job === undefined) throw new Error(`Run ${runId} has no job ${jobId}`);
  return { job, work: { kind: 'finish', answers: answers.map(answerOf) } };
}

function answerOf({ asks, part, ...row }: AnswerRow): StepAnswer {
  if (asks === 'prompt') return { ...row, asked: { kind: 'reduce' } };
  return { ...row, asked: part === null ? { kind: 'whole' } : { kind: 'part', part } };
}

const REMEMBER_MODE = `
INSERT INTO model_modes (endpoint, model, mode)
SELECT o.endpoint, o.model, :mode FROM (
  SELECT ${MODE_OWNER} FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id JOIN key_records k ON k.key = s.key
  WHERE s.step_id = :stepId) o
ON CONFLICT (endpoint, model) DO UPDATE SET mode = excluded.mode`;

/** The endpoint's model cannot do what was asked of it: the next calls start with `mode`. */
export function rememberMode(tx: Tx, stepId: number, mode: StructuredMode): void {
  tx.sql.sendOne(REMEMBER_MODE, { stepId, mode });
}

export const CLAIMED_WORK_STATEMENTS: StoredTexts = {
  rows: { SELECT_CALL, SELECT_COMPLETION, SELECT_JOB, SELECT_ANSWERS },
  changes: { REMEMBER_MODE },
};
