import type { NewWorker } from '../plan-rows.ts';
import type { WorkerRow } from '../rows.ts';
import { runFacts } from './run-facts.ts';
import { handBack } from './settle.ts';
import type { Sql } from './sql.ts';
import { STEP_COLUMNS, type Step } from './step-row.ts';
import type { Tx } from './transactor.ts';

const REGISTER = `
INSERT INTO workers (worker_id, run_id, host_id, hostname, pid, version, started_at_ms, beat_at_ms)
VALUES (:workerId, :runId, :hostId, :hostname, :pid, :version, :nowMs, :nowMs)
ON CONFLICT (worker_id) DO UPDATE SET beat_at_ms = excluded.beat_at_ms`;

export function registerWorker(tx: Tx, worker: NewWorker): void {
  const { workerId, runId, hostId, hostname, pid, version } = worker;
  tx.sql.run(REGISTER, { workerId, runId, hostId, hostname, pid, version, nowMs: tx.nowMs });
}

const UNSENT = `
SELECT ${STEP_COLUMNS} FROM steps s
WHERE s.lease_owner = :workerId AND s.state = 'running'
  AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.call_token = s.lease_token AND c.state = 'sent')`;

const FORGET = `DELETE FROM workers WHERE worker_id = :workerId`;

/** Gives back what the worker holds unsent. A sent call keeps its lease until that runs out: its answer may still come. */
export function removeWorker(tx: Tx, workerId: string): void {
  for (const step of tx.sql.all<Step>(UNSENT, { workerId })) {
    if (step.leaseToken !== null) handBack({ tx, run: runFacts(tx.sql, step.runId), step, token: step.leaseToken });
  }
  tx.sql.run(FORGET, { workerId });
}

const SELECT_WORKERS = `
SELECT w.worker_id AS workerId, w.run_id AS runId, w.host_id AS hostId, w.hostname, w.pid, w.version, w.started_at_ms AS startedAtMs,
  w.beat_at_ms AS beatAtMs,
  (SELECT count(*) FROM steps s WHERE s.lease_owner = w.worker_id AND s.state = 'running') AS running
FROM workers w ORDER BY w.started_at_ms, w.worker_id`;

export function workers(sql: Sql): readonly WorkerRow[] {
  return sql.all<WorkerRow>(SELECT_WORKERS);
}
