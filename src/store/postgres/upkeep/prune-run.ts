import type { RunState } from '../../../domain/run.ts';
import type { Pruned } from '../../maintenance.ts';
import { pruneRefusal } from '../../prune-refusal.ts';
import { runLocks, unfinishedLocks } from '../locks.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { openJobs } from './prune-outlook.ts';

const SELECT_CANDIDATE = `SELECT state, pruned_at_ms IS NOT NULL AS pruned FROM runs WHERE run_id = :runId`;
const MARK = `UPDATE runs SET pruned_at_ms = :nowMs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** From now on the run is gone for everyone. */
async function markPruned(tx: Tx, runId: string): Promise<void> {
  const run = await tx.sql.one<{ state: RunState; pruned: boolean }>(SELECT_CANDIDATE, { runId });
  if (run === undefined || run.pruned) return;
  const refusal = pruneRefusal({ runId, state: run.state, openJobs: await openJobs(tx.sql, runId) });
  if (refusal !== null) throw refusal;
  tx.sql.sendOne(MARK, { runId, nowMs: tx.nowMs });
}

/** Marks the run, and deletes its rows. */
export async function pruneRun(transactor: Transactor, runId: string): Promise<Pruned> {
  await transactor.write(runLocks(runId), (tx) => markPruned(tx, runId));
  return pruneRows(transactor, runId);
}

/** Deletes the rows of a marked run, in transactions of bounded length. */
export async function pruneRows(transactor: Transactor, runId: string): Promise<Pruned> {
  await transactor.write(unfinishedLocks(), ({ sql, nowMs }) => sql.run(RETIRE, { runId, nowMs }));
  const pruned = { jobs: 0, calls: 0 };
  while (!(await transactor.write(runLocks(runId), (tx) => pruneRest(tx, runId)))) {
    const page = await transactor.write(runLocks(runId), (tx) => pruneJobs(tx, runId));
    pruned.jobs += page.jobs;
    pruned.calls += page.calls;
  }
  return pruned;
}

// What nobody judged may be served to other runs; from now on it is not. What one of them is judging just now stays: none begins to while
// all of them are locked.
const RETIRE = `
UPDATE responses SET judgement = 'invalid', judged_at_ms = :nowMs
WHERE run_id = :runId AND judgement = 'none'
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.state = 'running' AND s.key = responses.key)`;

/** Jobs with all their rows that one transaction deletes. */
const JOBS_PER_TRANSACTION = 500;

const SELECT_JOBS = `SELECT job_id FROM jobs WHERE run_id = :runId LIMIT :limit`;

// An answer that stays keeps what was paid for it.
const KEEP_COSTS = `
UPDATE responses r SET cost_nano_usd = c.cost_nano_usd FROM calls c
WHERE c.run_id = :runId AND c.job_id = ANY(:jobIds::text[]) AND r.call_token = c.call_token
  AND c.cost_nano_usd IS NOT NULL AND c.cost_nano_usd IS DISTINCT FROM r.cost_nano_usd`;

const OF_JOBS = 'run_id = :runId AND job_id = ANY(:jobIds::text[])';

/** Children first. */
const DELETE_CALLS = `DELETE FROM calls WHERE ${OF_JOBS}`;
const DELETE_OF_JOBS = [
  `DELETE FROM attempts WHERE ${OF_JOBS}`,
  `DELETE FROM step_inputs WHERE step_id IN (SELECT step_id FROM steps WHERE ${OF_JOBS})`,
  `DELETE FROM steps WHERE ${OF_JOBS}`,
  `DELETE FROM job_results WHERE ${OF_JOBS}`,
  `DELETE FROM job_plans WHERE ${OF_JOBS}`,
];
const DELETE_JOBS = `DELETE FROM jobs WHERE ${OF_JOBS}`;

async function pruneJobs({ sql }: Tx, runId: string): Promise<Pruned> {
  const rows = await sql.all<{ jobId: string }>(SELECT_JOBS, { runId, limit: JOBS_PER_TRANSACTION });
  const params = { runId, jobIds: rows.map(({ jobId }) => jobId) };
  await sql.run(KEEP_COSTS, params);
  const calls = await sql.run(DELETE_CALLS, params);
  for (const text of DELETE_OF_JOBS) await sql.run(text, params);
  return { jobs: await sql.run(DELETE_JOBS, params), calls };
}

const HAS_JOBS = `SELECT 1 AS found FROM jobs WHERE run_id = :runId LIMIT 1`;

/** Children first. */
const TABLES_OF_RUN = [
  ...['documents', 'keys', 'run_lanes', 'paused_models', 'run_progress', 'run_totals', 'run_latencies', 'revisions', 'workers'],
  'runs',
];

/** The last transaction of a run; false while jobs are left, because a planner may have added some meanwhile. */
async function pruneRest({ sql }: Tx, runId: string): Promise<boolean> {
  if ((await sql.one(HAS_JOBS, { runId })) !== undefined) return false;
  for (const table of TABLES_OF_RUN) await sql.run(`DELETE FROM ${table} WHERE run_id = :runId`, { runId });
  return true;
}
