import type { Sql } from '../sql.ts';
import type { Tx } from '../transactor.ts';
import { CANCELLED, summaryIsStale } from './jobs.ts';

/** `now`: running calls are to be ended too. */
export type CancelHow = { readonly now: boolean };

const CANCEL_RUN = `
UPDATE runs SET state = 'cancelled', finished_at_ms = :nowMs, summary_at_ms = NULL
WHERE run_id = :runId AND state IN ('planning', 'open', 'paused')`;
const FINISH_WHOLE = `
UPDATE runs SET state = 'finished', finished_at_ms = :nowMs, summary_at_ms = NULL
WHERE run_id = :runId AND state = 'cancelled' AND planned_at_ms IS NOT NULL
  AND EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId)
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE run_id = :runId AND state IN ('queued', 'running', 'cancelled'))
  AND NOT EXISTS (SELECT 1 FROM steps WHERE run_id = :runId AND state = 'running')`;
const IS_CANCELLED = `SELECT 1 AS found FROM runs WHERE run_id = :runId AND state = 'cancelled'`;

/** `cancelled`: jobs that ended here. */
export type CancelledRun = { readonly changed: boolean; readonly cancelled: number };

/**
 * Ends what has not begun; running steps go on, because they are paid, unless they are to be ended now. A run that has a result of each of
 * its jobs afterwards is finished.
 */
export async function cancelRun(tx: Tx, runId: string, { now }: CancelHow): Promise<CancelledRun> {
  const changed = (await tx.sql.run(CANCEL_RUN, { runId, nowMs: tx.nowMs })) === 1;
  if ((await tx.sql.one(IS_CANCELLED, { runId })) === undefined) return { changed: false, cancelled: 0 };
  const { ended, asked } = await endWork(tx, { runId, jobIds: null, now });
  await finishWhole(tx, runId);
  return { changed: changed || (now && asked > 0), cancelled: ended };
}

/**
 * Of a cancelled run nothing may be missing in the end: a job that was asked afresh has its old result again, and what ran has its new
 * one. Then it is finished, as it would be without the cancel. True for the one caller that did it.
 */
export async function finishWhole(tx: Tx, runId: string): Promise<boolean> {
  return (await tx.sql.run(FINISH_WHOLE, { runId, nowMs: tx.nowMs })) === 1;
}

export type CancelledJobs = { readonly changed: boolean; readonly cancelled: number; readonly running: number };

/** The same for some jobs. Counts those that ended here, and those of which something still has to end. */
export async function cancelJobs(tx: Tx, runId: string, jobIds: readonly string[], { now }: CancelHow): Promise<CancelledJobs> {
  const open = await openAmong(tx, runId, jobIds);
  const { asked } = await endWork(tx, { runId, jobIds: open, now });
  const running = (await openAmong(tx, runId, open)).length;
  return { changed: asked > 0 || running < open.length, cancelled: open.length - running, running };
}

const OPEN_AMONG = `
SELECT job_id FROM jobs WHERE run_id = :runId AND job_id = ANY (:jobIds::text[]) AND state IN ('queued', 'running')`;

async function openAmong(tx: Tx, runId: string, jobIds: readonly string[]): Promise<string[]> {
  return (await tx.sql.all<{ jobId: string }>(OPEN_AMONG, { runId, jobIds })).map(({ jobId }) => jobId);
}

const AMONG = `run_id = :runId AND (:jobIds::text[] IS NULL OR job_id = ANY (:jobIds))`;

// What is paid goes on: a job's checks, and a stored answer that nobody has judged.
const CANCEL_STEPS = `
UPDATE steps SET state = 'cancelled', gate = NULL, parked = false
WHERE ${AMONG} AND state IN ('waiting', 'queued') AND kind <> 'finish'
  AND NOT EXISTS (
    SELECT 1 FROM responses r
    WHERE r.run_id = steps.run_id AND r.key = steps.key AND r.judgement = 'none' AND r.job_id = steps.job_id AND r.step_kind = steps.kind
      AND (steps.fresh_after_ms IS NULL OR r.recorded_at_ms > steps.fresh_after_ms))`;

const CANCEL_JOBS = `
UPDATE jobs SET ${CANCELLED}
WHERE ${AMONG} AND ended_at_ms IS NULL
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.run_id = jobs.run_id AND s.job_id = jobs.job_id AND s.state IN ('queued', 'running'))`;

const ASK = `
UPDATE jobs SET cancel_asked = CASE WHEN :now::boolean THEN 'now' ELSE 'drain' END
WHERE ${AMONG} AND ended_at_ms IS NULL AND (cancel_asked IS NULL OR (:now AND cancel_asked = 'drain'))`;

/** Ends what waits, then the jobs of which nothing is left; the others are asked to end. How many ended and how many were asked. */
async function endWork(
  tx: Tx,
  { runId, jobIds, now }: CancelHow & { runId: string; jobIds: readonly string[] | null },
): Promise<{ ended: number; asked: number }> {
  tx.sql.send(CANCEL_STEPS, { runId, jobIds });
  const ended = await tx.sql.run(CANCEL_JOBS, { runId, jobIds, nowMs: tx.nowMs });
  if (ended > 0) summaryIsStale(tx, runId);
  return { ended, asked: await tx.sql.run(ASK, { runId, jobIds, now }) };
}

const LEASES_TO_END = `
SELECT s.lease_token AS token FROM steps s JOIN jobs j ON j.run_id = s.run_id AND j.job_id = s.job_id
WHERE s.state = 'running' AND s.lease_owner = :workerId AND s.gate IS NOT NULL AND j.cancel_asked = 'now'`;

/** Tokens of the worker's calls that a person wants ended now. What needs no call is short, and paid. */
export async function leasesToEnd(sql: Sql, workerId: string): Promise<readonly string[]> {
  return (await sql.all<{ token: string }>(LEASES_TO_END, { workerId })).map(({ token }) => token);
}
