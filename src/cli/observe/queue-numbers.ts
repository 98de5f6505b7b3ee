import { desiredWorkers } from '../../domain/scale.ts';
import type { QueueNumbers } from '../../observe/metrics/queue-metrics.ts';
import type { OldestWork, RunRow, RunTotals } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { SCALE_DEFAULTS } from '../commands/scale-defaults.ts';
import { loadOf, readFleet } from '../status/fleet.ts';
import { sumTotals } from '../status/sum-totals.ts';

const NANO = 1e9;
const MINUTE_MS = 60_000;
const NOTHING = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };

/** The runs that a process watches: those that it was told of, or every unfinished one. */
export type Watched = ReadonlySet<string> | 'all';

type QueueStore = Pick<Store, 'listRuns' | 'runTotals' | 'oldestWork' | 'workers' | 'maxRunning'>;

/** What is watched, and the tags of the workers that are advised. */
export type QueueView = { readonly watched: Watched; readonly tags: readonly string[] };

/** What the store says of these runs, and of the workers of all, in the same numbers as `status` and `scale`. */
export async function readQueue(store: QueueStore, { watched, tags }: QueueView, nowMs: number): Promise<QueueNumbers> {
  const runIds = watched === 'all' ? await unfinished(store) : [...watched];
  const totals: RunTotals[] = [];
  const oldest: OldestWork[] = [];
  for (const runId of runIds) {
    totals.push(await store.runTotals(runId));
    oldest.push(await store.oldestWork(runId));
  }
  const wish = { ...SCALE_DEFAULTS, targetMs: SCALE_DEFAULTS.target * MINUTE_MS };
  const fleet = await readFleet(store, tags);
  const load = loadOf(fleet, { nowMs, targetMs: wish.targetMs, concurrency: null });
  const sum = sumTotals(totals);
  const { spentNanoUsd } = sum.cost;
  return {
    jobs: totals.length === 0 ? NOTHING : sum.jobs,
    oldestSeconds: { queued: age(oldest, 'queuedAtMs', nowMs), running: age(oldest, 'runningAtMs', nowMs) },
    cachedJobs: sum.cacheHits,
    lostLeases: sum.lostLeases,
    spentUsd: spentNanoUsd === null ? null : spentNanoUsd / NANO,
    budget: leastBudget(totals),
    workersAlive: fleet.workers.filter(({ alive }) => alive).length,
    desiredWorkers: desiredWorkers(load, wish).workers,
  };
}

async function unfinished(store: Pick<Store, 'listRuns'>): Promise<string[]> {
  const runs = await store.listRuns();
  return runs.filter(({ state }: RunRow) => state !== 'finished' && state !== 'cancelled').map(({ runId }) => runId);
}

function age(all: readonly OldestWork[], since: keyof OldestWork, nowMs: number): number | null {
  const times = all.flatMap((one) => one[since] ?? []);
  return times.length === 0 ? null : Math.max(0, nowMs - Math.min(...times)) / 1000;
}

/** Of the budgets in USD that these runs keep, their own and those of their groups, the one that is left with the least. */
function leastBudget(totals: readonly RunTotals[]): QueueNumbers['budget'] {
  const bounds = totals.flatMap(({ budget }) => {
    if (budget === null) return [];
    const { nanoUsd, groupNanoUsd, budget: of } = budget;
    return [leftOf(of.nanoUsd, nanoUsd), leftOf(of.group?.nanoUsd ?? null, groupNanoUsd)].flat();
  });
  return bounds.sort((a, b) => a.leftUsd - b.leftUsd)[0] ?? null;
}

function leftOf(limit: number | null, used: number) {
  return limit === null ? [] : [{ leftUsd: Math.max(0, limit - used) / NANO, ofUsd: limit / NANO }];
}
