import type { RunState } from '../../../domain/run.ts';
import type { Inspection } from '../../maintenance.ts';
import type { Sql } from '../sql.ts';
import type { SeenWorker, Watcher } from '../workers/seen-workers.ts';
import type { RegisteredWorker } from '../workers/workers.ts';
import { ok, problem, warning } from './inspect-finding.ts';
import { isStopped } from './inspect-processes.ts';

/** Who works here, and who only seems to. */
export function inspectWorkers(seen: readonly SeenWorker[]): readonly Inspection[] {
  const alive = seen.filter((worker) => worker.alive);
  const text = seen.length === 0 ? 'no workers' : `${alive.length} alive, ${seen.length - alive.length} gone`;
  const trouble = [...twoHosts(alive), ...alive.filter(({ here, pid }) => here && isStopped(pid)).map(stopped)];
  return trouble.length === 0 ? [ok('workers', text)] : trouble;
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

type Held = {
  readonly owner: string;
  readonly runId: string;
  readonly state: RunState;
  readonly held: number;
  readonly expired: number;
};

/** Leases that nobody renews. None of them is lost: the next claim of any worker takes them back. */
export function inspectLeases(sql: Sql, see: () => readonly SeenWorker[], { nowMs }: Watcher): readonly Inspection[] {
  const held = sql.all<Held>(LEASES, { nowMs });
  // After the leases: the owner of each was registered before it.
  const alive = new Set(see().flatMap((worker) => (worker.alive ? [worker.workerId] : [])));
  const orphaned = held.filter(({ owner }) => !alive.has(owner));
  const stale = sum(held.filter(({ owner }) => alive.has(owner)).map((one) => one.expired));
  const findings: Inspection[] = [];
  if (orphaned.length > 0) {
    const text = `${leases(sum(orphaned.map((one) => one.held)))} of workers that are gone`;
    findings.push(warning('leases', text, [...new Set(orphaned.map(takenUpBy))]));
  }
  if (stale > 0)
    findings.push(warning('leases', `${leases(stale)} ran out although the worker lives: it is frozen or blocked`, ['aieval status']));
  if (findings.length > 0) return findings;
  return [ok('leases', held.length === 0 ? 'no leases' : `${leases(sum(held.map((one) => one.held)))}, each with a living worker`)];
}

/** What takes the work of a gone worker up again; none of it needs the manifest's file. */
function takenUpBy({ runId, state }: Held): string {
  if (state === 'paused') return `aieval resume ${runId}`;
  return state === 'cancelled' ? `aieval cancel ${runId}` : `aieval worker ${runId}`;
}

function leases(count: number): string {
  return `${count} ${count === 1 ? 'lease' : 'leases'}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
