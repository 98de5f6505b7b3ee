import { ok, problem, warning } from '../../finding.ts';
import type { Inspection } from '../../maintenance.ts';
import { type HeldLeases, leaseFindings, workersText } from '../../work-findings.ts';
import type { Sql } from '../sql.ts';
import type { SeenWorker, Watcher } from '../workers/seen-workers.ts';
import type { RegisteredWorker } from '../workers/workers.ts';
import { isStopped } from './inspect-processes.ts';

/** Who works here, and who only seems to. */
export function inspectWorkers(seen: readonly SeenWorker[]): readonly Inspection[] {
  const alive = seen.filter((worker) => worker.alive);
  const trouble = [...twoHosts(alive), ...alive.filter(({ here, pid }) => here && isStopped(pid)).map(stopped)];
  return trouble.length === 0 ? [ok('workers', workersText(seen))] : trouble;
}

function twoHosts(alive: readonly SeenWorker[]): Inspection[] {
  const names = new Map(alive.map(({ hostId, hostname }) => [hostId, hostname]));
  if (names.size < 2) return [];
  const text = `workers of ${names.size} machines (${[...names.values()].join(', ')}) use one database file, which damages it.`;
  return [problem('workers', text, ['stop the workers of all machines but one'])];
}

function stopped(worker: SeenWorker): Inspection {
  return warning('workers', `${nameOf(worker)} is stopped (SIGSTOP or Ctrl-Z); others take its work when its leases run out.`, [
    `kill -CONT ${worker.pid}`,
  ]);
}

/** A worker for a person. */
export function nameOf({ workerId, pid }: RegisteredWorker): string {
  return `worker ${workerId} (pid ${pid})`;
}

const LEASES = `
SELECT s.lease_owner AS owner, s.run_id AS runId, r.state, count(*) AS held,
  count(*) FILTER (WHERE s.lease_expires_at_ms <= :nowMs) AS expired
FROM steps s JOIN runs r ON r.run_id = s.run_id WHERE s.state = 'running' GROUP BY s.lease_owner, s.run_id ORDER BY s.run_id`;

/** Leases that nobody renews. */
export function inspectLeases(sql: Sql, see: () => readonly SeenWorker[], { nowMs }: Watcher): readonly Inspection[] {
  const held = sql.all<HeldLeases>(LEASES, { nowMs });
  // After the leases: the owner of each was registered before it.
  return leaseFindings(held, see());
}
