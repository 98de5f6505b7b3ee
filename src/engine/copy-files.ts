import { type Projection, writeJobFolders, writePlanFiles, writeResultFiles } from './projections.ts';

const JOBS_PER_READ = 50;

/**
 * Writes all files of a run, as its rows say now, into another folder than the run's own; none of it counts as written. Writing them again
 * gives the same bytes. Throws a `UserError` (exit 8) where it cannot.
 */
export async function copyFiles(projection: Projection, folder: string): Promise<void> {
  const there = { ...projection, run: { ...projection.run, outDir: folder } };
  await writePlanFiles(there);
  await writeEndedJobs(there);
  await writeResultFiles(there);
}

async function writeEndedJobs(projection: Projection): Promise<void> {
  const { store, run } = projection;
  for (let after = -1; ; ) {
    const rows = await store.jobRows(run.runId, { after, limit: JOBS_PER_READ });
    const last = rows.at(-1);
    if (last === undefined) return;
    const ended = rows.filter(({ endedAtMs }) => endedAtMs !== null).map(({ jobId }) => jobId);
    await writeJobFolders(projection, await store.jobRecords(run.runId, ended));
    after = last.seq;
  }
}
