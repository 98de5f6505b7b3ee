import type { Pool } from '../engine/pool.ts';
import { writeJobArtifacts } from '../engine/projections.ts';
import { workRun } from '../engine/run-work.ts';
import type { WorkEnd } from '../engine/work-loop.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { conclude } from './conclude.ts';
import { thisWorker } from './context.ts';
import type { Display } from './display/display.ts';
import type { CliIo } from './io.ts';
import { inManifestOrder } from './model-order.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

export type Execution = {
  readonly store: Store;
  readonly run: RunRow;
  readonly pool: Pool;
  readonly display: Display;
  readonly session: Session;
  readonly concurrency: number;
  readonly exitZero: boolean;
  /** Done when the work is over and its files are written, before the outcome is told. */
  readonly beforeOutcome?: (run: RunRow) => Promise<void>;
};

/** How often the numbers on the screen are read. */
export const TOTALS_EVERY_MS = 1000;

/** Works on a planned run, writes its files and tells its outcome. Returns the exit code. */
export async function execute(io: CliIo, execution: Execution): Promise<number> {
  const startedAtMs = io.now();
  const end = await workWithTotals(io, execution);
  return await conclude({ ...execution, stop: execution.session.stop, end, durationMs: io.now() - startedAtMs });
}

async function workWithTotals(io: CliIo, execution: Execution): Promise<WorkEnd> {
  const { store, run, pool, display, session, concurrency } = execution;
  const totals = setInterval(() => showTotals(store, run, display), TOTALS_EVERY_MS);
  try {
    return await workRun({
      store,
      run,
      worker: thisWorker(io, run.runId),
      pool,
      providers: session.providers,
      concurrency,
      signals: session.stop.signals,
      onEvent: display.onEvent,
      now: io.now,
      inFlight: session.inFlight,
      project: (record) => writeJobArtifacts({ store, run, version: packageVersion() }, record),
    });
  } finally {
    clearInterval(totals);
  }
}

/** The numbers on the screen; a failure to read them is met again, and told, by the work itself. */
function showTotals(store: Store, run: RunRow, display: Display): void {
  store.runTotals(run.runId).then(
    (totals) => display.onTotals({ ...totals, byModel: inManifestOrder(totals.byModel, run) }),
    () => undefined,
  );
}
