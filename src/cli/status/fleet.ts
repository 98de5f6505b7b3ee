import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { Load } from '../../domain/scale.ts';
import { covers, tagsOf, tagsText } from '../../domain/tags.ts';
import { waitsInVain } from '../../engine/waits-in-vain.ts';
import type { ModelTotals, RunRow, RunTotals, WorkerRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';

/** Everything that workers of all runs could do that have the same tags, and who is there. */
export type Fleet = {
  readonly tags: readonly string[];
  /** Each with what such a worker could not do. */
  readonly runs: readonly WorkedRun[];
  readonly workers: readonly WorkerRow[];
  readonly maxRunning: number | null;
};

type WorkedRun = { readonly run: RunRow; readonly totals: RunTotals };

type FleetStore = Pick<Store, 'listRuns' | 'runTotals' | 'workers' | 'maxRunning'>;

/**
 * The runs that take claims, also of those that are in while a run is being planned; a paused one is no work for anybody. `tags`: of the
 * workers that are meant.
 */
export async function readFleet(store: FleetStore, tags: readonly string[]): Promise<Fleet> {
  const open = (await store.listRuns()).filter(({ state }) => state === 'open' || state === 'planning');
  const runs: WorkedRun[] = [];
  for (const run of open) runs.push({ run, totals: await store.runTotals(run.runId, tags) });
  return { tags, runs, workers: await store.workers(), maxRunning: await store.maxRunning() };
}

type LoadInput = {
  readonly nowMs: number;
  /** A wait that is longer is nobody's work. */
  readonly targetMs: number;
  /** Of a worker; `null`: what the manifests say. */
  readonly concurrency: number | null;
};

/** What a manifest says for want of a word. */
const USUAL_CONCURRENCY = 8;

/** What is to be done, and by whom, as numbers. */
export function loadOf({ tags, runs, workers, maxRunning }: Fleet, { nowMs, targetMs, concurrency }: LoadInput): Load {
  const living = workers.filter((worker) => worker.alive);
  const alive = living.filter((worker) => tagsText(worker.tags) === tagsText(tags));
  const heldByOthers = living.reduce((sum, worker) => sum + (alive.includes(worker) ? 0 : worker.running), 0);
  const stated = runs.map(({ run }) => run.manifest.concurrency);
  return {
    queued: runs.reduce((sum, { totals }) => sum + startable(totals, nowMs, targetMs), 0),
    running: Math.max(0, runs.reduce((sum, { totals }) => sum + totals.jobs.running, 0) - heldByOthers),
    jobMs: jobTime(runs.flatMap(({ totals }) => totals.byModel)),
    workersAlive: alive.length,
    workersHolding: alive.filter(({ running }) => running > 0).length,
    concurrency: concurrency ?? (stated.length === 0 ? USUAL_CONCURRENCY : Math.max(...stated)),
    mostRunning: mostRunning(runs, maxRunning),
  };
}

/** What a pause, a budget or a failure stops is not done sooner by more workers. */
function startable({ jobs, waiting }: RunTotals, nowMs: number, targetMs: number): number {
  const stopped = waiting.filter((one) => waitsInVain([one], nowMs, targetMs)).reduce((sum, { count }) => sum + count, 0);
  return Math.max(0, jobs.queued - stopped);
}

/** Work that only workers with other tags may do; `workersAlive`: those of the living that have them. */
export type OtherWork = { readonly tags: readonly string[]; readonly count: number; readonly workersAlive: number };

/** What workers of this fleet could not do for want of tags, by the tags that it needs. */
export function otherWork({ runs, workers }: Fleet): readonly OtherWork[] {
  const counts = new Map<string, number>();
  for (const { why, tags = [], count } of runs.flatMap(({ totals }) => totals.waiting)) {
    const need = tagsText(tags);
    if (why === 'tags') counts.set(need, (counts.get(need) ?? 0) + count);
  }
  const living = workers.filter(({ alive }) => alive);
  return [...counts].map(([need, count]) => {
    const workersAlive = living.filter(({ tags }) => covers(tags, need)).length;
    return { tags: tagsOf(need), count, workersAlive };
  });
}

/** The mean over the open jobs of what a call of their model takes, times the parts in which they are asked; `null`: nothing was timed. */
function jobTime(models: readonly ModelTotals[]): number | null {
  let [open, ms] = [0, 0];
  for (const { queued, running, openParts, p50Ms } of models) {
    if (p50Ms === null) continue;
    open += queued + running;
    ms += Math.max(queued + running, openParts) * p50Ms;
  }
  return open === 0 ? null : ms / open;
}

/** Limits hold over all processes: beyond them a further worker only waits. */
function mostRunning(runs: readonly WorkedRun[], maxRunning: number | null): number | null {
  const lanes = runs.flatMap(({ run, totals }) => lanesOf(run.manifest, totals.byModel));
  const atOnce = new Map<string, number>();
  for (const { lane, calls } of lanes) atOnce.set(lane, Math.min(calls, atOnce.get(lane) ?? calls));
  const ofRuns = runs.map(({ run }) => run.settings.runConcurrency ?? Number.POSITIVE_INFINITY);
  const bound = Math.min(together([...atOnce.values()]), together(ofRuns), maxRunning ?? Number.POSITIVE_INFINITY);
  return bound === Number.POSITIVE_INFINITY ? null : bound;
}

/** None of them bounds nothing. */
function together(bounds: readonly number[]): number {
  return bounds.length === 0 ? Number.POSITIVE_INFINITY : bounds.reduce((total, bound) => total + bound, 0);
}

type Lane = { readonly lane: string; readonly calls: number };

/** What the models with open jobs share: the lower of two limits of one endpoint counts. */
function lanesOf({ models, providers }: ResolvedManifest, totals: readonly ModelTotals[]): Lane[] {
  const open = totals.filter(({ queued, running }) => queued + running > 0);
  return open.flatMap(({ model: name }) => {
    const model = models[name];
    const provider = model === undefined ? undefined : providers[model.provider];
    if (model === undefined || provider === undefined) return [];
    return [{ lane: JSON.stringify([provider.baseUrl ?? provider.id, model.group]), calls: provider.concurrency }];
  });
}
