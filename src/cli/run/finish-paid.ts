import { writeJobArtifacts } from '../../engine/projections.ts';
import { createProviderSet } from '../../engine/provider-set.ts';
import { workRun } from '../../engine/run-work.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { thisWorker } from '../context.ts';
import type { CliIo } from '../io.ts';
import { openPool } from '../open-pool.ts';
import { takeSnapshot } from '../status/snapshot.ts';
import { packageVersion } from '../version.ts';

/**
 * What a process that is gone paid for and left unjudged is judged here, without a call: nobody else works on a cancelled run. False
 * when the run is not cancelled or somebody is there who does it: then what changes is their doing.
 */
export async function finishPaid(io: CliIo, store: Store, runId: string): Promise<boolean> {
  const snapshot = await takeSnapshot(store, runId, io.now());
  if (snapshot.run.state !== 'cancelled' || snapshot.workers.some(({ alive }) => alive)) return false;
  const { run, totals } = snapshot;
  if (totals.jobs.queued + totals.jobs.running === 0) return true;
  await judge(io, store, run);
  return true;
}

async function judge(io: CliIo, store: Store, run: RunRow): Promise<void> {
  const pool = openPool();
  const never = new AbortController().signal;
  try {
    await workRun({
      store,
      run,
      worker: thisWorker(io, run.runId, []),
      pool,
      providers: createProviderSet(run.manifest, (provider) => Promise.reject(new Error(`a cancelled run calls ${provider.id}`))),
      concurrency: pool.size,
      wait: false,
      signals: { stop: never, now: never },
      onEvent: () => undefined,
      now: io.now,
      inFlight: { count: 0 },
      project: (record) => writeJobArtifacts({ store, run, version: packageVersion() }, record),
    });
  } finally {
    await pool.close();
  }
}
