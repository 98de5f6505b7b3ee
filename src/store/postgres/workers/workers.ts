import type { NewWorker } from '../../plan-rows.ts';
import { GONE_MS } from '../../waits.ts';
import { FORGET_MARKS } from '../commit-marks.ts';
import { runFacts } from '../runs/run-facts.ts';
import type { Sql } from '../sql.ts';
import { handBack } from '../steps/settle.ts';
import { STEP_COLUMNS, type Step } from '../steps/step-row.ts';
import type { StoredTexts } from '../stored-statement.ts';
import type { Tx } from '../transactor.ts';
import { hintAtWork } from '../work-hint.ts';
import { forgetEndedWatches } from './watched-leases.ts';

const REGISTER = `
INSERT INTO workers (worker_id, run_id, host_id, hostname, pid, version, tags, plans, started_at_ms, beat_at_ms)
VALUES (:workerId, :runId, :hostId, :hostname, :pid, :version, :tags, :plans, :nowMs, :nowMs)
ON CONFLICT (worker_id) DO UPDATE SET beat_at_ms = excluded.beat_at_ms`;

// A worker of all runs goes by the longest lease that any unfinished run gives. Rows that somebody else is just removing are left to them.
const FORGET_GONE = `
DELETE FROM workers WHERE worker_id IN (
  SELECT w.worker_id FROM workers w
  WHERE w.worker_id <> :workerId
    AND w.beat_at_ms <= :nowMs::bigint - greatest(:goneMs::bigint, 10 * coalesce((
      SELECT max((r.settings #>> '{lease,ttlMs}')::bigint) FROM runs r
      WHERE r.run_id = w.run_id OR (w.run_id IS NULL AND r.state IN ('planning', 'open', 'paused'))), 0))
    AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_owner = w.worker_id AND s.state = 'running')
  FOR UPDATE SKIP LOCKED)`;

/** Adds the worker, or its next sign of life; rows that killed workers left behind go. */
export function registerWorker(tx: Tx, worker: NewWorker): void {
  forgetEndedWatches(tx);
  tx.sql.send(FORGET_GONE, { workerId: worker.workerId, nowMs: tx.nowMs, goneMs: GONE_MS });
  tx.sql.send(FORGET_MARKS);
  const { workerId, runId, hostId, hostname, pid, version, tags = [], plans = false } = worker;
  tx.sql.send(REGISTER, { workerId, runId, hostId, hostname, pid, version, tags: JSON.stringify(tags), plans, nowMs: tx.nowMs });
}

const IS_REGISTERED = `SELECT 1 AS found FROM workers WHERE worker_id = :workerId`;

/** A worker that slept for long may have been taken for dead and forgotten: it is there again when it claims. */
export async function isRegistered(sql: Sql, workerId: string): Promise<boolean> {
  return (await sql.one(IS_REGISTERED, { workerId })) !== undefined;
}

const UNSENT = `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.lease_owner = :workerId AND s.state = 'running'
  AND (NOT EXISTS (SELECT 1 FROM calls c WHERE c.call_token = s.lease_token AND c.state = 'sent')
    OR EXISTS (SELECT 1 FROM responses r WHERE r.call_token = s.lease_token))
ORDER BY s.step_id`;

const FORGET = `DELETE FROM workers WHERE worker_id = :workerId`;

/**
 * Gives back what the worker holds unsent, and what only has to be judged. Another sent call keeps its lease until that runs out: its
 * answer may still come.
 */
export async function removeWorker(tx: Tx, workerId: string): Promise<void> {
  const unsent = await tx.sql.all<Step>(UNSENT, { workerId });
  if (unsent.length > 0) hintAtWork(tx);
  for (const step of unsent) {
    if (step.leaseToken !== null) await handBack({ tx, run: await runFacts(tx.sql, step.runId), step, token: step.leaseToken });
  }
  tx.sql.send(FORGET, { workerId });
}

export const WORKERS_STATEMENTS: StoredTexts = { rows: { IS_REGISTERED } };
