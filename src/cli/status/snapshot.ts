import { MISSED_BEATS } from '../../domain/lease.ts';
import { runVerdict } from '../../domain/run.ts';
import type { RunVerdict } from '../../domain/verdict.ts';
import { waitsInVain } from '../../engine/waits-in-vain.ts';
import type { RunRow, RunTotals, WorkerRow } from '../../store/rows.ts';
import { runGone } from '../../store/run-gone.ts';
import type { Store } from '../../store/store.ts';
import { bareTotals } from '../display/bare.ts';
import type { Pace } from '../display/rate.ts';
import type { NextCall } from '../display/stop-text.ts';
import { type PlanProgress, planProgress } from '../jobs/plan-progress.ts';
import { type RunHere, runHere } from '../run/run-here.ts';
import { openCost } from './open-cost.ts';
import { type Stalled, stalledOf } from './stalled.ts';
import { causeOf, mainWait, type StopCause } from './stop-cause.ts';

/** A run as `status` shows it: `running` and `interrupted` are the same stored state, with and without a live worker. */
export type ShownState = 'running' | 'finished' | 'cancelled' | 'paused' | 'interrupted';

/** `live`: its process is there, and not frozen: it beats. */
export type ShownWorker = WorkerRow & { readonly live: boolean };

/** All that `status` knows of a run at one moment. */
export type Snapshot = {
  readonly run: RunHere;
  readonly state: ShownState;
  /** `null` while the run works; `incomplete` for one that stopped early. */
  readonly verdict: RunVerdict | null;
  readonly totals: RunTotals;
  /** What stopped a run that nobody works on, where nobody could go on with it now. */
  readonly stoppedBy: StopCause | null;
  /** A run that is worked on and on which nothing happens. */
  readonly stalled: Stalled | null;
  /** The most that the open calls of a run can cost that its budget stopped, where that is known. */
  readonly openNanoUsd: number | null;
  /** The call that its budget stopped, where that is known. */
  readonly nextCall?: NextCall | null;
  readonly workers: readonly ShownWorker[];
  /** `null` once all jobs are in. `isGoing`: somebody lives who adds the rest. */
  readonly plan: (PlanProgress & { readonly isGoing: boolean }) | null;
  readonly asOfMs: number;
};

type StatusStore = Pick<Store, 'getRun' | 'runTotals' | 'workers' | 'openCalls' | 'spansMachines'>;

/** Reads a run's present state, what servers said only where `withWords` allows it. Throws `UserError` when the run is gone. */
export async function takeSnapshot(
  store: StatusStore,
  runId: string,
  nowMs: number,
  withWords: (run: RunRow) => boolean = () => true,
  isThere?: (path: string) => boolean,
): Promise<Snapshot> {
  const found = await store.getRun(runId);
  if (found === null) throw runGone(runId);
  const run = runHere(found, { store, isThere });
  const all = await store.runTotals(runId);
  const totals = withWords(run) ? all : bareTotals(all);
  const snapshot = snapshotOf(run, { totals, workers: await store.workers(), nowMs });
  return snapshot.stoppedBy === null ? snapshot : { ...snapshot, ...(await openCost(store, run, totals.waiting)) };
}

type Facts = { readonly totals: RunTotals; readonly workers: readonly WorkerRow[]; readonly nowMs: number };

/** A run's present state, from what was read; `workers` are those of all runs. */
export function snapshotOf(run: RunHere, { totals, workers: known, nowMs }: Facts): Snapshot {
  const workers = known
    .filter((worker) => worker.runId === run.runId || (worker.runId === null && hasWorkForAll(run, totals, nowMs)))
    .map((worker) => ({ ...worker, live: worker.alive && beats(worker, run, nowMs) }));
  const state = shownState(run, workers);
  const verdict = shownVerdict(run, state, totals);
  const plan = shownPlan(run, totals, workers);
  const stalled = state === 'running' && plan?.isGoing !== true ? stalledOf({ run, totals, workers, nowMs }) : null;
  const stoppedBy = stopOf(run, state, { totals, nowMs });
  return { run, state, verdict, totals, stoppedBy, stalled, openNanoUsd: null, workers, plan, asOfMs: nowMs };
}

function shownPlan(run: RunRow, totals: RunTotals, workers: readonly ShownWorker[]): Snapshot['plan'] {
  const plan = planProgress(run, totals);
  return plan === null ? null : { ...plan, isGoing: workers.some(({ plans, alive }) => plans === true && alive) };
}

/** Jobs that are done when the run is: also those that are still to be enqueued. */
export function jobsInAll({ plan, totals: { jobs } }: Pick<Snapshot, 'plan' | 'totals'>): number {
  return Math.max(jobs.total, plan?.of ?? 0);
}

function stopOf({ settings }: RunRow, state: ShownState, { totals, nowMs }: Pick<Facts, 'totals' | 'nowMs'>): StopCause | null {
  if (state !== 'interrupted' || !waitsInVain(totals.waiting, nowMs, settings.retry.maxWaitMs)) return null;
  const main = mainWait(totals.waiting);
  return main === null ? null : causeOf(main);
}

/**
 * Whether a worker of all runs may have a part in this one: something of it runs, or waits for a time at which it starts, or all is done and
 * it is to say so. What is due and not begun was refused by it, for want of a key or a server, or was not planned to its end.
 */
function hasWorkForAll({ state }: RunRow, { jobs, waiting }: RunTotals, nowMs: number): boolean {
  const waits = waiting.length > 0 && !waitsInVain(waiting, nowMs, Number.POSITIVE_INFINITY);
  const isDone = jobs.queued + jobs.running === 0;
  return jobs.running > 0 || (state === 'open' && (waits || isDone));
}

function beats(worker: WorkerRow, run: RunRow, nowMs: number): boolean {
  return nowMs - worker.beatAtMs < MISSED_BEATS * run.settings.lease.beatMs;
}

function shownState(run: RunRow, workers: readonly ShownWorker[]): ShownState {
  if (run.state !== 'open' && run.state !== 'planning') return run.state;
  return workers.some((worker) => worker.live) ? 'running' : 'interrupted';
}

function shownVerdict(run: RunRow, state: ShownState, totals: RunTotals): RunVerdict | null {
  if (state === 'running' || state === 'paused') return null;
  return state === 'finished' ? runVerdict(run.state, totals.results, run.settings.gate) : 'incomplete';
}

/** Whether nothing more will happen to the run by itself: what is in flight when it is cancelled still ends, where its worker lives. */
export function isOver({ state, totals: { jobs }, workers }: Snapshot): boolean {
  if (state === 'cancelled') return jobs.running === 0 || !workers.some(({ live }) => live);
  return state === 'finished';
}

/** Seconds to the end, where the run moves and its pace is known. */
export function etaOf({ state, stalled }: Snapshot, pace: Pace): number | null {
  return state === 'running' && stalled === null ? pace.etaSeconds : null;
}

/** Steps run, and whoever ran them is gone. */
export function isHeldByNobody({ totals, workers }: Snapshot): boolean {
  return totals.jobs.running > 0 && !workers.some(({ alive }) => alive);
}
