import type { RunState } from '../../../domain/run.ts';
import type { Pruned } from '../../maintenance.ts';
import { pruneRefusal } from '../../prune-refusal.ts';
import type { Transactor, Tx } from '../transactor.ts';
import { gently } from './gently.ts';
import { openJobs } from './prune-outlook.ts';

const SELECT_CANDIDATE = `SELECT state, pruned_at_ms IS NOT NULL AS pruned FROM runs WHERE run_id = :runId`;
const MARK = `UPDATE runs SET pruned_at_ms = :nowMs WHERE run_id = :runId AND pruned_at_ms IS NULL`;

/** From the commit of this on the run is gone for everyone; that it is gone already is no error. Throws `UserError` (exit 7) when it may not go. */
export function markPruned(tx: Tx, runId: string): void {
  const run = tx.sql.one<{ state: RunState; pruned: 0 | 1 }>(SELECT_CANDIDATE, { runId });
  if (run === undefined || run.pruned === 1) return;
  const refusal = pruneRefusal({ runId, state: run.state, openJobs: openJobs(tx.sql, runId) });
  if (refusal !== null) throw refusal;
  tx.sql.runOne(MARK, { runId, nowMs: tx.nowMs });
}

/** Jobs with all their rows that one transaction deletes: nobody waits long for the write lock. */
const JOBS_PER_TRANSACTION = 200;

/**
 * Deletes the rows of a marked run; the connection checks no foreign keys, because a child column without an index would be scanned
 * for each row. Each transaction leaves a database whose references are whole.
 */
export async function pruneRows(transactor: Transactor, runId: string): Promise<Pruned> {
  await gently(transactor, (tx) => tx.sql.run(RETIRE, { runId, nowMs: tx.nowMs }));
  const pruned = { jobs: 0, calls: 0 };
  while (!(await gently(transactor, (tx) => pruneRest(tx, runId)))) {
    const page = await gently(transactor, (tx) => pruneJobs(tx, runId));
    pruned.jobs += page.jobs;
    pruned.calls += page.calls;
  }
  return pruned;
}

// What nobody judged may be served to other runs; from now on it is not. What one of them is judging just now stays.
const RETIRE = `
UPDATE responses SET judgement = 'invalid', judged_at_ms = :nowMs
WHERE run_id = :runId AND judgement = 'none'
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.state = 'running' AND s.key = responses.key)`;

const SELECT_JOBS = `SELECT job_id AS jobId FROM jobs WHERE run_id = :runId LIMIT :limit`;

// An answer that stays keeps what was paid for it.
const KEEP_COSTS = `
UPDATE responses SET cost_nano_usd = (SELECT c.cost_nano_usd FROM calls c WHERE c.call_token = responses.call_token)
WHERE call_token IN (
  SELECT c.call_token FROM calls c JOIN responses r ON r.call_token = c.call_token
  WHERE c.run_id = :runId AND c.job_id IN (SELECT value FROM json_each(:jobIds))
    AND c.cost_nano_usd IS NOT NULL AND c.cost_nano_usd IS NOT r.cost_nano_usd)`;

const DELETE_ATTEMPTS = `DELETE FROM attempts WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds))`;
const DELETE_CALLS = `DELETE FROM calls WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds))`;
const DELETE_INPUTS = `
DELETE FROM step_inputs WHERE step_id IN (
  SELECT step_id FROM steps WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds)))`;
const DELETE_STEPS = `DELETE FROM steps WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds))`;
const DELETE_JOBS = `DELETE FROM jobs WHERE run_id = :runId AND job_id IN (SELECT value FROM json_each(:jobIds))`;

function pruneJobs(tx: Tx, runId: string): Pruned {
  const rows = tx.sql.all<{ jobId: string }>(SELECT_JOBS, { runId, limit: JOBS_PER_TRANSACTION });
  const params = { runId, jobIds: JSON.stringify(rows.map(({ jobId }) => jobId)) };
  tx.sql.run(KEEP_COSTS, params);
  tx.sql.run(DELETE_ATTEMPTS, params);
  const calls = tx.sql.run(DELETE_CALLS, params);
  tx.sql.run(DELETE_INPUTS, params);
  tx.sql.run(DELETE_STEPS, params);
  return { jobs: tx.sql.run(DELETE_JOBS, params), calls };
}

const HAS_JOBS = `SELECT 1 AS found FROM jobs WHERE run_id = :runId LIMIT 1`;

/** Children first. */
const DELETE_REST = [
  'DELETE FROM documents WHERE run_id = :runId',
  'DELETE FROM keys WHERE run_id = :runId',
  'DELETE FROM run_lanes WHERE run_id = :runId',
  'DELETE FROM paused_models WHERE run_id = :runId',
  'DELETE FROM run_progress WHERE run_id = :runId',
  'DELETE FROM run_totals WHERE run_id = :runId',
  'DELETE FROM run_latencies WHERE run_id = :runId',
  'DELETE FROM revisions WHERE run_id = :runId',
  'DELETE FROM workers WHERE run_id = :runId',
  'DELETE FROM runs WHERE run_id = :runId',
];

/** The last transaction of a run; false while jobs are left, because a planner may have added some meanwhile. */
function pruneRest(tx: Tx, runId: string): boolean {
  if (tx.sql.one(HAS_JOBS, { runId }) !== undefined) return false;
  for (const text of DELETE_REST) tx.sql.run(text, { runId });
  return true;
}
