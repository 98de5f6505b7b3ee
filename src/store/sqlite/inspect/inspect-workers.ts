import type { Inspection } from '../../maintenance.ts';
import type { Sql } from '../sql.ts';
import { isStorageFailure } from '../sqlite-errors.ts';
import { SLOWEST_BEAT_MS } from '../workers/heartbeat.ts';
import type { Liveness } from '../workers/liveness.ts';
import { type RegisteredWorker, workers } from '../workers/workers.ts';
import { ok, problem, warning } from './inspect-finding.ts';
import { isStopped } from './inspect-processes.ts';

/** A registered worker; `here`: on this boot of this machine, so that its process id means something. */
export type SeenWorker = RegisteredWorker & { readonly here: boolean; readonly alive: boolean };

export type Watcher = { readonly liveness: Liveness; readonly hostId: string; readonly nowMs: number };

const MISSED_BEATS = 3;

/** By its lock on this machine, by its beats on another. */
export function seeWorkers(sql: Sql, { liveness, hostId, nowMs }: Watcher): readonly SeenWorker[] {
  return workers(sql).map((worker) => {
    const here = worker.hostId === hostId;
    const alive = here ? holdsLock(liveness, worker.workerId) : nowMs - worker.beatAtMs < MISSED_BEATS * SLOWEST_BEAT_MS;
    return { ...worker, here, alive };
  });
}

/** A lock of another user's process cannot be asked. */
function holdsLock(liveness: Liveness, workerId: string): boolean {
  try {
    return liveness.isAlive(workerId);
  } catch (error) {
    if (isStorageFailure(error)) return true;
    throw error;
  }
}

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
SELECT lease_owner AS owner, count(*) AS held, count(*) FILTER (WHERE lease_expires_at_ms <= :nowMs) AS expired
FROM steps WHERE state = 'running' GROUP BY lease_owner`;

type Held = { readonly owner: string; readonly held: number; readonly expired: number };

/** Leases that nobody renews. None of them is lost: the next claim of any worker takes them back. */
export function inspectLeases(sql: Sql, seen: readonly SeenWorker[], { nowMs }: Watcher): readonly Inspection[] {
  const held = sql.all<Held>(LEASES, { nowMs });
  const isAlive = ({ owner }: Held) => seen.some(({ workerId, alive }) => workerId === owner && alive);
  const orphaned = sum(held.filter((one) => !isAlive(one)).map((one) => one.held));
  const stale = sum(held.filter(isAlive).map((one) => one.expired));
  const findings: Inspection[] = [];
  if (orphaned > 0) findings.push(warning('leases', `${leases(orphaned)} of workers that are gone`, ['aieval run manifest.json']));
  if (stale > 0)
    findings.push(warning('leases', `${leases(stale)} ran out although the worker lives: it is frozen or blocked`, ['aieval status']));
  return findings.length === 0 ? [ok('leases', `${leases(sum(held.map((one) => one.held)))}, each with a living worker`)] : findings;
}

function leases(count: number): string {
  return `${count} ${count === 1 ? 'lease' : 'leases'}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
