import { askedAgain, isLost } from '../../asked-again.ts';
import { grouped } from '../../grouped.ts';
import { flightKeyOf, type RunFacts } from '../../run-facts.ts';
import { findAnswers, isFree } from '../steps/answers.ts';
import { forgetBad, forgetFailures } from '../steps/failures.ts';
import { callStep, STEP_COLUMNS, type Step } from '../steps/step-row.ts';
import type { Tx } from '../transactor.ts';

/** What becomes of the steps of requeued jobs. */
type Plan = {
  /** Whose failures are forgotten. */
  readonly forgotten: readonly Step[];
  /** Asked again. */
  readonly asked: readonly Step[];
  /** Made of answers that are asked for again: another one follows. */
  readonly left: readonly Step[];
};

const REQUEUE_FAILED = `
UPDATE jobs SET state = 'queued', verdict = NULL, error_reason = NULL, error_message = NULL, ended_at_ms = NULL,
  artifacts_at_ms = NULL, cached = false, answer_call_token = NULL
WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) AND state = 'failed'`;

// Its calls were answered, and their answers make no valid one: the same answers would fail it again.
const OF_NO_USE = `
SELECT j.job_id FROM jobs j JOIN steps s ON s.run_id = j.run_id AND s.job_id = j.job_id
WHERE j.run_id = :runId AND j.job_id = ANY (:jobIds::text[]) AND j.error_reason = 'invalid_answer' AND s.kind = 'finish' AND s.state = 'failed'`;

/** What the jobs lost is asked again; the answers that they have stay, unless a job failed for what they say together. */
export async function requeueFailed(tx: Tx, run: RunFacts, jobIds: readonly string[]): Promise<void> {
  const ofNoUse = await tx.sql.all<{ jobId: string }>(OF_NO_USE, { runId: run.runId, jobIds });
  tx.sql.send(REQUEUE_FAILED, { runId: run.runId, jobIds });
  const anew = new Set(ofNoUse.map(({ jobId }) => jobId));
  const jobs = [...grouped(await stepsOf(tx, run, jobIds), ({ jobId }) => jobId)];
  const lost = jobs.filter(([jobId]) => !anew.has(jobId)).flatMap(([, steps]) => steps.filter(isLost));
  const asked = jobs.filter(([jobId]) => !anew.has(jobId)).flatMap(([, steps]) => askedAgain(steps));
  const fresh = await allAnew(
    tx,
    run,
    jobs.filter(([jobId]) => anew.has(jobId)).flatMap(([, steps]) => steps),
  );
  forgetBad(
    tx,
    lost.flatMap(({ key }) => (key === null ? [] : [key])),
  );
  await apply(tx, run, jobIds, {
    forgotten: [...lost, ...fresh.forgotten],
    asked: [...asked, ...fresh.asked],
    left: fresh.left,
  });
}

// Their files would speak of a verdict that they have no more, so they count as unwritten at once.
const REQUEUE_WITH_RESULT = `
UPDATE jobs SET state = 'queued', verdict = NULL, ended_at_ms = NULL, artifacts_at_ms = NULL
WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) AND state = 'succeeded'`;

/** All questions of the jobs are asked anew, and no answer of before counts; the old result stays until the new one is there. */
export async function requeueForNewAnswer(tx: Tx, run: RunFacts, jobIds: readonly string[]): Promise<void> {
  tx.sql.send(REQUEUE_WITH_RESULT, { runId: run.runId, jobIds });
  await apply(tx, run, jobIds, await allAnew(tx, run, await stepsOf(tx, run, jobIds)));
}

const JOB_STEPS = `
SELECT ${STEP_COLUMNS} FROM steps s WHERE s.run_id = :runId AND s.job_id = ANY (:jobIds::text[]) ORDER BY s.job_id, s.step_id`;

function stepsOf(tx: Tx, { runId }: RunFacts, jobIds: readonly string[]): Promise<Step[]> {
  return tx.sql.all<Step>(JOB_STEPS, { runId, jobIds });
}

async function allAnew(tx: Tx, run: RunFacts, steps: readonly Step[]): Promise<Plan> {
  const newest = await newestAnswers(tx, run, steps);
  const again = steps.flatMap((step) => {
    if (step.kind === 'reask') return [];
    // Now; or later, when the clock was set back after the newest answer of the key.
    return [{ ...step, freshAfterMs: step.key === null ? null : Math.max(tx.nowMs, newest.get(step.key) ?? 0) }];
  });
  const isFollowing = ({ kind }: Step) => kind === 'reduce' || kind === 'finish';
  return { forgotten: steps, asked: again.filter((step) => !isFollowing(step)), left: again.filter(isFollowing) };
}

const NEWEST_ANSWERS = `
SELECT k.key, greatest(
  (SELECT max(judged_at_ms) FROM responses r WHERE r.run_id = :runId AND r.key = k.key AND r.judgement = 'valid'),
  (SELECT max(recorded_at_ms) FROM responses r WHERE r.key = k.key AND r.judgement = 'none'),
  (SELECT stored_at_ms FROM cache c WHERE c.key = k.key)) AS at_ms
FROM unnest(:keys::text[]) AS k (key)`;

async function newestAnswers(tx: Tx, { runId }: RunFacts, steps: readonly Step[]): Promise<ReadonlyMap<string, number | null>> {
  const keys = [...new Set(steps.flatMap(({ key }) => (key === null ? [] : [key])))];
  if (keys.length === 0) return new Map();
  const rows = await tx.sql.all<{ key: string; atMs: number | null }>(NEWEST_ANSWERS, { runId, keys });
  return new Map(rows.map(({ key, atMs }) => [key, atMs]));
}

const SYNC_JOBS = `
UPDATE jobs j SET state = 'running'
WHERE j.run_id = :runId AND j.job_id = ANY (:jobIds::text[]) AND j.state = 'queued' AND EXISTS (
  SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state = 'running')`;

async function apply(tx: Tx, run: RunFacts, jobIds: readonly string[], { forgotten, asked, left }: Plan): Promise<void> {
  const { runId } = run;
  forgetFailures(
    tx,
    runId,
    forgotten.map(({ failureKey }) => failureKey),
  );
  await requeueSteps(tx, run, asked);
  tx.sql.send(LEAVE_STEPS, { stepIds: left.map(({ stepId }) => stepId), freshAfter: left.map(({ freshAfterMs }) => freshAfterMs) });
  const mended = [...asked, ...left].filter(({ key }) => key !== null);
  tx.sql.send(LEAVE_REASKS, { runId, mendedJobs: mended.map(({ jobId }) => jobId), mendedKeys: mended.map(({ key }) => key) });
  tx.sql.send(SYNC_JOBS, { runId, jobIds });
}

const REQUEUE_STEPS = `
UPDATE steps s SET state = 'queued', outcome = NULL, call_token = NULL, gate = a.gate, flight_key = a.flight_key, parked = false,
  run_at_ms = :nowMs, fresh_after_ms = a.fresh_after_ms
FROM unnest(:stepIds::bigint[], :gates::text[], :flightKeys::text[], :freshAfter::bigint[]) AS a (step_id, gate, flight_key, fresh_after_ms)
WHERE s.step_id = a.step_id AND s.state IN ('failed', 'cancelled', 'succeeded')`;

async function requeueSteps(tx: Tx, run: RunFacts, steps: readonly Step[]): Promise<void> {
  const calls = steps.filter(({ kind }) => kind !== 'finish').map(callStep);
  const answers = await findAnswers(tx, run, calls);
  const gates = new Map(calls.map(({ stepId, laneId }, at) => [stepId, isFree(answers[at] ?? NONE) ? null : laneId]));
  tx.sql.send(REQUEUE_STEPS, {
    nowMs: tx.nowMs,
    stepIds: steps.map(({ stepId }) => stepId),
    gates: steps.map(({ stepId }) => gates.get(stepId) ?? null),
    flightKeys: steps.map(({ key }) => (key === null ? null : flightKeyOf(run, key))),
    freshAfter: steps.map(({ freshAfterMs }) => freshAfterMs),
  });
}

const NONE = { hit: null, unjudged: null };

// That the answer of a reduce must be new is kept for the one that follows.
const LEAVE_STEPS = `
UPDATE steps s SET state = 'succeeded', outcome = 'superseded', call_token = NULL, fresh_after_ms = l.fresh_after_ms
FROM unnest(:stepIds::bigint[], :freshAfter::bigint[]) AS l (step_id, fresh_after_ms)
WHERE s.step_id = l.step_id AND s.state IN ('failed', 'cancelled', 'succeeded')`;

// Its answer mended one that is asked for again: nothing may rest on it, and a cancelled one must not end the job anew.
const LEAVE_REASKS = `
UPDATE steps s SET state = 'succeeded', outcome = 'superseded'
FROM (SELECT DISTINCT job_id, key FROM unnest(:mendedJobs::text[], :mendedKeys::text[]) AS m (job_id, key)) m
WHERE s.run_id = :runId AND s.job_id = m.job_id AND s.key = m.key AND s.kind = 'reask' AND s.state IN ('succeeded', 'cancelled')`;
