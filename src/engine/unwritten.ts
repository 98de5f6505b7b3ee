import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../domain/errors.ts';
import type { Store } from '../store/store.ts';
import { type Projection, writePendingArtifacts, writeRunFiles } from './projections.ts';

type OnWarning = (message: string) => void;

/** Writes the files of runs that ended and whose process died before it wrote them. */
export async function writeUnwritten(store: Store, version: string, onWarning: OnWarning): Promise<void> {
  for (const run of await store.runsWithoutSummary()) await rebuildFiles({ store, run, version }, onWarning);
}

/**
 * Brings a run's files up to its rows; all of them where the folder is gone. A folder that cannot be written is told, and left for
 * the next time: it must stop neither a new run nor a reader.
 */
export async function rebuildFiles(projection: Projection, onWarning: OnWarning): Promise<void> {
  const { store, run } = projection;
  try {
    if (!existsSync(join(run.outDir, 'jobs'))) await store.clearArtifacts(run.runId);
    await writePendingArtifacts(projection);
    await writeRunFiles(projection);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onWarning(`the files of ${run.runId} are not written: ${error.message}`);
  }
}
