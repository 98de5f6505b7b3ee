import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { continueLine } from './run-line.ts';

/** Says which unfinished run of the same work `run --new` leaves aside: the manifest leads to the new one from now on. */
export async function tellLeftRun(io: CliIo, store: Pick<Store, 'listRuns' | 'runTotals'>, run: RunRow): Promise<void> {
  const left = (await store.listRuns()).find(
    (other) => other.runId !== run.runId && other.identity === run.identity && isUnfinished(other),
  );
  if (left === undefined) return;
  const { jobs } = await store.runTotals(left.runId);
  const done = `${jobs.succeeded + jobs.failed + jobs.cancelled} of ${jobs.total} done`;
  const ways = [...new Set([goOn(left, io.cwd), `aieval cancel ${left.runId}`])].join(', or ');
  io.stderr.write(`note: run ${left.runId} (${done}) is left unfinished: ${asTyped(ways, io.notes.lead)}\n`);
}

function isUnfinished({ state }: RunRow): boolean {
  return state === 'planning' || state === 'open' || state === 'paused';
}

function goOn(run: RunRow, cwd: string): string {
  return run.state === 'paused' ? `aieval resume ${run.runId}` : continueLine(run, cwd);
}
