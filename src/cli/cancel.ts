import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { openState } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import { counted } from './terminal/format.ts';

/** `aieval cancel [RUN]`: ends a run's queued work. Doing it to a run that is over changes nothing and is no error. */
export async function cancelCommand(io: CliIo, globals: Globals, [name = 'latest']: readonly string[]): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const run = await findRun(store, name);
    const { changed } = await store.cancelRun(run.runId);
    if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, run: run.runId, changed })}\n`);
    else if (!globals.quiet) io.stdout.write(`${await sentence(store, run, changed)}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

async function sentence(store: Store, run: RunRow, changed: boolean): Promise<string> {
  if (!changed) return `Run ${run.runId} is ${run.state} already; nothing was changed.`;
  const { jobs } = await store.runTotals(run.runId);
  const running = jobs.running > 0 ? ` ${counted(jobs.running, 'job')} in flight will finish and be kept.` : '';
  return `Cancelled run ${run.runId}: ${counted(jobs.cancelled, 'job')} will not be done.${running}`;
}
