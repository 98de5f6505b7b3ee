import type { NewWorker } from '../../plan-rows.ts';
import type { WorkerRow } from '../../rows.ts';
import { GONE_MS } from '../../waits.ts';
import { runFacts } from '../runs/run-facts.ts';
import { fromJson, type Sql } from '../sql.ts';
import { handBack } from '../steps/settle.ts';
import { STEP_COLUMNS, type Step } from '../steps/step-row.ts';
import type { Tx } from '../transactor.ts';

const REGISTER = `
INSERT INTO workers (worker_id, run_id, host_id, hostname, pid, version, tags, plans, started_at_ms, beat_at_ms)
VALUES (:workerId, :runId, :hostId, :hostname, :pid, :version, :tags, :plans, :nowMs, :nowMs)
ON CONFLICT (worker_id) DO UPDATE SET beat_at_ms = excluded.beat_at_ms`;

// A worker of all runs goes by the longest lease that any unfinished run gives.
const FORGET_GONE = `
DELETE FROM workers WHERE worker_id <> :workerId
  AND beat_at_ms <= :nowMs - max(:goneMs, 10 * coalesce((
    SELECT max(r.settings ->> '$.lease.ttlMs') FROM runs r
    WHERE r.run_id = workers.run_id OR (workers.run_id IS NULL AND r.state IN ('planning', 'open', 'paused'))), 0))
  AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_owner = workers.worker_id AND s.state = 'running')`;

/** Adds the worker, or its next sign of life; rows that killed workers left behind go. */
export function registerWorker(tx: Tx, worker: NewWorker): void {
  tx.sql.run(FORGET_GONE, { workerId: worker.workerId, nowMs: tx.nowMs, goneMs: GONE_MS });
  const { workerId, runId, hostId, hostname, pid, version, tags = [], plans = false } = worker;
  tx.sql.run(REGISTER, {
    ...{ workerId, runId, hostId, hostname, pid, version },
    tags: JSON.stringify(tags),
    plans: Number(plans),
    nowMs: tx.nowMs,
  });
}

const IS_REGISTERED = `SELECT 1 AS found FROM workers WHERE worker_id = :workerId`;

/** A worker that slept for long may have been taken for dead and forgotten: it is there again when it claims. */
export function keepRegistered(tx: Tx, worker: NewWorker): void {
  if (tx.sql.one(IS_REGISTERED, { workerId: worker.workerId }) === undefined) registerWorker(tx, worker);
}

const UNSENT = `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.lease_owner = :workerId AND s.state = 'running'
  AND (NOT EXISTS (SELECT 1 FROM calls c WHERE c.call_token = s.lease_token AND c.state = 'sent')
    OR EXISTS (SELECT 1 FROM responses r WHERE r.call_token = s.lease_token))`;

const FORGET = `DELETE FROM workers WHERE worker_id = :workerId`;

/**
 * Gives back what the worker holds unsent, and what only has to be judged. Another sent call keeps its lease until that runs out: its
 * answer may still come.
 */
export function removeWorker(tx: Tx, workerId: string): void {
  for (const step of tx.sql.all<Step>(UNSENT, { workerId })) {
    if (step.leaseToken !== null) handBack({ tx, run: runFacts(tx.sql, step.runId), step, token: step.leaseToken });
  }
  tx.sql.run(FORGET, { workerId });
}

const SELECT_WORKERS = `
SELECT w.worker_id AS workerId, w.run_id AS runId, w.host_id AS hostId, w.hostname, w.pid, w.version, w.tags, w.plans,
  w.started_at_ms AS startedAtMs, w.beat_at_ms AS beatAtMs, count(s.step_id) AS running, min(s.leased_at_ms) AS oldestLeaseAtMs
FROM workers w LEFT JOIN steps s ON s.lease_owner = w.worker_id AND s.state = 'running'
GROUP BY w.worker_id ORDER BY w.started_at_ms, w.worker_id`;

/** A worker's row; whether it lives is not written in it. */
export type RegisteredWorker = Omit<WorkerRow, 'alive' | 'certain' | 'takeover'>;

export function workers(sql: Sql): readonly RegisteredWorker[] {
  const rows = sql.all<Omit<RegisteredWorker, 'tags' | 'plans'> & { readonly tags: string; readonly plans: number }>(SELECT_WORKERS);
  return rows.map((row) => ({ ...row, tags: fromJson<readonly string[]>(row.tags), plans: row.plans === 1 }));
}
