import { writeJobArtifacts } from '../engine/projections.ts';
import { createProviderSet } from '../engine/provider-set.ts';
import { workRun } from '../engine/run-work.ts';
import type { Store } from '../store/store.ts';
import { thisWorker } from './context.ts';
import type { CliIo } from './io.ts';
import { openPool } from './open-pool.ts';
import { takeSnapshot } from './snapshot.ts';
import { packageVersion } from './version.ts';

/** What a process that is gone paid for and left unjudged is judged here, without a call: nobody else works on a cancelled run. */
export async function finishPaid(io: CliIo, store: Store, runId: string): Promise<void> {
  const snapshot = await takeSnapshot(store, runId, io.now());
  if (snapshot === null || snapshot.run.state !== 'cancelled' || snapshot.workers.some(({ alive }) => alive)) return;
  const { run, totals } = snapshot;
  if (totals.jobs.queued + totals.jobs.running === 0) return;
  const pool = openPool();
  const never = new AbortController().signal;
  try {
    await workRun({
      store,
      run,
      worker: thisWorker(io, runId),
      pool,
      providers: createProviderSet(run.manifest, (provider) => Promise.reject(new Error(`a cancelled run calls ${provider.id}`))),
      concurrency: pool.size,
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
