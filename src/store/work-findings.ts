import type { RunState } from '../domain/run.ts';
import { ok, problem, warning } from './finding.ts';
import type { Invariant } from './invariants.ts';
import type { Inspection } from './maintenance.ts';
import type { WorkerRow } from './rows.ts';

const NOT_OURS = ['please report this: it is a bug in aieval, or another program wrote to the database'];

/** Of what breaks a fact so many are named; one more is asked for, to know that there are more. */
const NAMED = 3;
export const SUBJECTS_LOOKED_AT = NAMED + 1;

export function notOurs(check: string, message: string): Inspection {
  return problem(check, message, NOT_OURS);
}

/** What breaks a fact that must hold of all rows; nothing when it holds. */
export function brokenInvariant({ check, name }: Invariant, subjects: readonly string[]): readonly Inspection[] {
  if (subjects.length === 0) return [];
  const more = subjects.length > NAMED ? '; and more' : '';
  return [notOurs(check, `${name}: ${subjects.slice(0, NAMED).join('; ')}${more}`)];
}

const HOLDS: Readonly<Record<Invariant['check'], string>> = {
  totals: 'the totals are the sums over jobs, attempts and calls',
  work: 'jobs, steps and calls fit together',
};

/** One finding for what holds, one for each fact that does not. */
export function invariantFindings(check: Invariant['check'], broken: readonly Inspection[]): readonly Inspection[] {
  return broken.length === 0 ? [ok(check, HOLDS[check])] : broken;
}

/** Leases that a worker holds on steps of a run. */
export type HeldLeases = {
  readonly owner: string;
  readonly runId: string;
  readonly state: RunState;
  readonly held: number;
  readonly expired: number;
};

type Seen = Pick<WorkerRow, 'workerId' | 'hostname' | 'alive' | 'certain'>;

/** Leases that nobody renews. None of them is lost: the next claim of any worker takes them back, of a silent one when it was watched. */
export function leaseFindings(held: readonly HeldLeases[], workers: readonly Seen[]): readonly Inspection[] {
  const known = new Map(workers.map((worker) => [worker.workerId, worker]));
  const isSilent = ({ owner }: HeldLeases) => known.get(owner)?.alive === false && known.get(owner)?.certain === false;
  const isOrphaned = (one: HeldLeases) => known.get(one.owner)?.alive !== true && !isSilent(one);
  const [orphaned, silent] = [held.filter(isOrphaned), held.filter(isSilent)];
  const stale = sum(held.filter(({ owner }) => known.get(owner)?.alive === true).map((one) => one.expired));
  const findings: Inspection[] = [];
  if (silent.length > 0) {
    const text = `${leases(sum(silent.map((one) => one.held)))} of silent workers elsewhere`;
    const hosts = new Set(silent.map(({ owner }) => known.get(owner)?.hostname ?? ''));
    // Whoever was cut off from the server keeps on its own machine what it had paid for.
    const kept = `any aieval command on ${[...hosts].join(', ')} first: answers may be kept there`;
    findings.push(warning('leases', text, [kept, ...new Set(silent.map(takenUpBy))]));
  }
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
function takenUpBy({ runId, state }: HeldLeases): string {
  if (state === 'paused') return `aieval resume ${runId}`;
  return state === 'cancelled' ? `aieval cancel ${runId}` : `aieval worker ${runId}`;
}

function leases(count: number): string {
  return `${count} ${count === 1 ? 'lease' : 'leases'}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** How many workers there are. */
export function workersText(workers: readonly Pick<WorkerRow, 'alive' | 'certain'>[]): string {
  if (workers.length === 0) return 'no workers';
  const alive = workers.filter((worker) => worker.alive).length;
  const silent = workers.filter((worker) => !worker.alive && !worker.certain).length;
  return `${alive} alive, ${silent === 0 ? '' : `${silent} silent, `}${workers.length - alive - silent} gone`;
}
