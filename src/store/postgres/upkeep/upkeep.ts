import type { Compaction, Gone } from '../../maintenance.ts';
import type { Transactor } from '../transactor.ts';
import { seeWorkers, type Watcher } from '../workers/seen-workers.ts';
import { pruneRows } from './prune-run.ts';
import { dropUnused, unused } from './prune-unused.ts';

const NOTHING_GONE: Gone = { runIds: [], cacheBeforeMs: null };

type Choice = { readonly dryRun: boolean; readonly ifGone?: Gone };

/** Counts, and without `dryRun` deletes, what nothing refers to. */
export async function pruneUnused(transactor: Transactor, { dryRun, ifGone = NOTHING_GONE }: Choice) {
  if (!dryRun) await endBegun(transactor);
  const found = await transactor.read((view) => unused(view, dryRun ? ifGone : NOTHING_GONE));
  const { rows, sizeBytes } = found;
  if (!dryRun && rows > 0) await dropUnused(transactor, found);
  return { rows, sizeBytes };
}

/** Runs whose pruning was begun and not ended. */
const BEGUN = `SELECT run_id FROM runs WHERE pruned_at_ms IS NOT NULL`;

/** First of all: of a run that is being pruned somebody may still be about to take an answer, until its rows say that it may not. */
async function endBegun(transactor: Transactor): Promise<void> {
  const begun = await transactor.read(({ sql }) => sql.all<{ runId: string }>(BEGUN));
  for (const { runId } of begun) await pruneRows(transactor, runId);
}

/**
 * `busy` while somebody works on the store: it would be slowed down. What is free is used for what comes next, and ends of tables go back
 * to the disk; to write all anew (`VACUUM FULL`), with everybody kept out, is for whoever looks after the server.
 */
export async function compact(transactor: Transactor, watcher: Watcher): Promise<Compaction> {
  const alive = (await transactor.read((view) => seeWorkers(view, watcher))).some((worker) => worker.alive);
  if (alive) return 'busy';
  await transactor.vacuum();
  return 'done';
}
