import { oneLine } from '../../domain/hostile-text.ts';
import type { RunRow, RunTotals, Waiting, WorkerRow } from '../../store/rows.ts';
import { waitingText } from '../display/waiting-text.ts';
import { clock, counted } from '../terminal/format.ts';
import { mainWait } from './stop-cause.ts';

/** A run on which a worker works and nothing happens. */
export type Stalled = {
  readonly sinceMs: number;
  /** A call is out for longer than it may take; the worker of what runs is gone; what is open waits; or nobody takes it. */
  readonly why: 'no_answer' | 'worker_gone' | 'waits' | 'not_taken';
  /** The same in words. */
  readonly cause: string;
};

/** So long nothing happens to a run that is well. */
const QUIET_MS = 5 * 60_000;

export type Looked = { readonly run: RunRow; readonly totals: RunTotals; readonly workers: readonly WorkerRow[]; readonly nowMs: number };

/** Whether a run that is worked on has come to a halt, and likely why; `null` while something happens, or nothing is open. */
export function stalledOf(looked: Looked): Stalled | null {
  const { totals, nowMs } = looked;
  if (totals.jobs.queued + totals.jobs.running === 0) return null;
  const sinceMs = lastChange(looked);
  if (nowMs - sinceMs < QUIET_MS || (totals.jobs.running > 0 && nowMs < answeredBy(looked))) return null;
  return { sinceMs, ...reasonOf(looked) };
}

/** A claim is a change, too: that of the oldest call in flight is known. */
function lastChange({ run, totals, workers }: Looked): number {
  return Math.max(run.plannedAtMs ?? run.createdAtMs, totals.happenedAtMs ?? 0, ...leasesOf(workers));
}

/** Until when a call that is in flight may legitimately keep everybody waiting. */
function answeredBy({ run, workers }: Looked): number {
  const longest = Math.max(QUIET_MS, ...Object.values(run.manifest.models).map(({ timeouts }) => timeouts.totalMs));
  const leases = leasesOf(workers);
  return leases.length === 0 ? 0 : Math.min(...leases) + longest;
}

function leasesOf(workers: readonly WorkerRow[]): number[] {
  return workers.flatMap(({ oldestLeaseAtMs, alive }) => (alive && oldestLeaseAtMs !== null ? [oldestLeaseAtMs] : []));
}

function reasonOf({ totals, workers, nowMs }: Looked): Omit<Stalled, 'sinceMs'> {
  const leases = leasesOf(workers);
  if (leases.length > 0) {
    const calls = workers.reduce((sum, { alive, running }) => sum + (alive ? running : 0), 0);
    const since = clock(Math.min(...leases));
    return { why: 'no_answer', cause: `${counted(calls, 'step')} in flight since ${since}, no answer: does the server still work?` };
  }
  const { running } = totals.jobs;
  if (running > 0) return { why: 'worker_gone', cause: `the worker of ${counted(running, 'job')} is gone; its leases have to run out` };
  const wait = mainWait(totals.waiting);
  return wait === null ? { why: 'not_taken', cause: 'no worker takes the open work' } : { why: 'waits', cause: waitCause(wait, nowMs) };
}

function waitCause(wait: Waiting, nowMs: number): string {
  const name = wait.why.startsWith('lane_') && wait.why !== 'lane_paused' && wait.why !== 'lane_breaker' ? 'rate limit: ' : '';
  return `${name}${oneLine(waitingText(wait, nowMs))}`;
}
