import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { goOnSteps } from '../status/go-on.ts';
import { type Snapshot, takeSnapshot } from '../status/snapshot.ts';
import { continueLine } from './run-line.ts';

/** Says which unfinished run of the same work `run --new` leaves aside: the manifest leads to the new one from now on. */
export async function tellLeftRun(
  io: CliIo,
  store: Pick<Store, 'listRuns' | 'getRun' | 'runTotals' | 'workers' | 'openCalls' | 'spansMachines'>,
  run: RunRow,
): Promise<void> {
  const left = (await store.listRuns()).find(
    (other) => other.runId !== run.runId && other.identity === run.identity && isUnfinished(other),
  );
  if (left === undefined) return;
  const snapshot = await takeSnapshot(store, left.runId, io.now());
  const { jobs } = snapshot.totals;
  const done = `${jobs.succeeded + jobs.failed + jobs.cancelled} of ${jobs.total} done`;
  const ways = [...new Set([...goOn(snapshot, io.cwd), `aieval cancel ${left.runId}`])].join(', or ');
  io.stderr.write(`note: run ${left.runId} (${done}) is left unfinished: ${asTyped(ways, io.notes.lead)}\n`);
}

function isUnfinished({ state }: RunRow): boolean {
  return state === 'planning' || state === 'open' || state === 'paused';
}

function goOn(snapshot: Snapshot, cwd: string): readonly string[] {
  return snapshot.stoppedBy === 'budget' || snapshot.state === 'paused'
    ? goOnSteps(snapshot, cwd)
    : [continueLine(snapshot.run, cwd, snapshot.totals.waiting)];
}
