import { UserError } from '../../domain/errors.ts';
import { runVerdict } from '../../domain/run.ts';
import type { RunRow, RunTotals } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { dayAndClock } from '../terminal/format.ts';

type Told = Pick<Globals, 'quiet'> & { readonly store: Pick<Store, 'listRuns' | 'runTotals'> };

/**
 * Does what comes before a run is opened. Where that is refused, the latest run is an earlier one, which `summary` and the others would
 * show in its place: that is said.
 */
export async function beforeStart<Result>(io: CliIo, { quiet, store }: Told, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError && !quiet) await tellLatest(io, store);
    throw error;
  }
}

async function tellLatest({ stderr }: CliIo, store: Told['store']): Promise<void> {
  const [latest] = await store.listRuns();
  if (latest === undefined) return;
  stderr.write(`note: no run was started; the latest is still ${latestText(latest, await store.runTotals(latest.runId))}\n`);
}

function latestText(run: RunRow, { results }: RunTotals): string {
  const state = run.state === 'finished' ? `finished ${runVerdict(run.state, results, run.settings.gate)}` : run.state;
  return `${run.runId} (${state}, started ${dayAndClock(run.createdAtMs)})`;
}
