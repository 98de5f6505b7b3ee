import { runFilesSize } from '../../artifacts/remove-run.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import type { CacheSelection } from '../../store/cache-store.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { copyHere } from '../run/run-folder.ts';
import type { StatePlace } from '../state-folder.ts';

/** What stays. A run stays while either of the two keeps it. */
export type Retention = {
  readonly keepDays: number;
  readonly keepRuns: number;
  /** Answers stored longer ago go; `null`: none. */
  readonly cacheDays: number | null;
};

/** A run that goes. */
export type DoomedRun = {
  readonly run: RunRow;
  readonly jobs: number;
  /** Of its files, or of their copy where they are another machine's; `null`: none are here that are provably this store's. */
  readonly folder: string | null;
  /** Its own files are another machine's. */
  readonly elsewhere: boolean;
  readonly sizeBytes: number;
};

export type GcPlan = {
  /** Newest first. */
  readonly runs: readonly DoomedRun[];
  /** Runs that would go, but for work of cancelled ones that is not ended. */
  readonly held: readonly { readonly runId: string; readonly jobs: number }[];
  readonly cacheBeforeMs: number | null;
  readonly cacheEntries: number;
  /** Rows that nothing refers to once the runs and entries are gone. */
  readonly unusedRows: number;
  readonly unusedBytes: number;
};

const DAY_MS = 86_400_000;

/** Looks, and changes nothing. */
export async function planGc(
  store: Store,
  place: Pick<StatePlace, 'runs'>,
  { nowMs, ...retention }: Retention & { readonly nowMs: number },
): Promise<GcPlan> {
  const busy = new Set((await store.workers()).flatMap(({ runId, alive }) => (alive && runId !== null ? [runId] : [])));
  const runs: DoomedRun[] = [];
  const held: { runId: string; jobs: number }[] = [];
  for (const run of expiredRuns(await store.listRuns(), retention, { nowMs, busy })) {
    const outlook = await store.pruneOutlook(run.runId);
    if (outlook === null) continue;
    const { folder, openJobs } = outlook;
    if (openJobs > 0) held.push({ runId: run.runId, jobs: openJobs });
    else runs.push(await doomedRun(store, run, areFilesHere({ store, run }) ? folder : copyHere(place, run)));
  }
  const cacheBeforeMs = retention.cacheDays === null ? null : nowMs - retention.cacheDays * DAY_MS;
  const cacheEntries = cacheBeforeMs === null ? 0 : (await store.invalidateCache(storedBefore(cacheBeforeMs), { dryRun: true })).entries;
  const ifGone = { runIds: runs.map(({ run }) => run.runId), cacheBeforeMs };
  const unused = await store.pruneUnused({ dryRun: true, ifGone });
  return { runs, held, cacheBeforeMs, cacheEntries, unusedRows: unused.rows, unusedBytes: unused.sizeBytes };
}

async function doomedRun(store: Store, run: RunRow, folder: string | null): Promise<DoomedRun> {
  const { jobs } = await store.runTotals(run.runId);
  const elsewhere = !areFilesHere({ store, run });
  return { run, jobs: jobs.total, folder, elsewhere, sizeBytes: folder === null ? 0 : await runFilesSize(folder) };
}

type Moment = { readonly nowMs: number /** Runs that somebody works on. */; readonly busy: ReadonlySet<string> };

/**
 * The runs that go: ended, longer ago than `keepDays`, and not among the newest `keepRuns`. `runs` come newest first. One that ended
 * in the future, by a clock that was set back since, is young.
 */
export function expiredRuns(runs: readonly RunRow[], { keepDays, keepRuns }: Retention, { nowMs, busy }: Moment): readonly RunRow[] {
  return runs.filter(({ runId, state, finishedAtMs }, index) => {
    if (state !== 'finished' && state !== 'cancelled') return false;
    if (index < keepRuns || busy.has(runId)) return false;
    return finishedAtMs !== null && finishedAtMs <= nowMs - keepDays * DAY_MS;
  });
}

/** All answers stored before a time. */
export function storedBefore(storedBeforeMs: number): CacheSelection {
  return { model: null, namespace: null, endpoint: null, storedBeforeMs };
}
