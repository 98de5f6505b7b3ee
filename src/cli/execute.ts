import { runVerdict } from '../domain/run.ts';
import type { Pool } from '../engine/pool.ts';
import { type Projection, writeJobArtifacts, writePendingArtifacts, writeRunFiles } from '../engine/projections.ts';
import { workRun } from '../engine/run-work.ts';
import type { WorkEnd } from '../engine/work-loop.ts';
import type { RunRow, RunTotals } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { thisWorker } from './context.ts';
import { readCauses } from './display/causes.ts';
import type { Display } from './display/display.ts';
import { EXIT, exitCodeOf, worst } from './exit-codes.ts';
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

const TOTALS_EVERY_MS = 1000;

/** Works on a planned run, writes its files and tells its outcome. Returns the exit code. */
export async function execute(io: CliIo, execution: Execution): Promise<number> {
  const startedAtMs = io.now();
  const end = await workWithTotals(io, execution);
  return await conclude(execution, end, io.now() - startedAtMs);
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
      project: (record) => writeJobArtifacts(projectionOf(execution), record),
    });
  } finally {
    clearInterval(totals);
  }
}

function projectionOf({ store, run }: Execution): Projection {
  return { store, run, version: packageVersion() };
}

/** The numbers on the screen; a failure to read them is met again, and told, by the work itself. */
function showTotals(store: Store, run: RunRow, display: Display): void {
  store.runTotals(run.runId).then(
    (totals) => display.onTotals({ ...totals, byModel: inManifestOrder(totals.byModel, run) }),
    () => undefined,
  );
}

async function conclude(execution: Execution, end: WorkEnd, durationMs: number): Promise<number> {
  const { store, display, session, exitZero } = execution;
  const run = (await store.getRun(execution.run.runId)) ?? execution.run;
  const projection = projectionOf({ ...execution, run });
  await writePendingArtifacts(projection);
  await writeRunFiles(projection);
  await execution.beforeOutcome?.(run);
  const totals = await store.runTotals(run.runId);
  const verdict = runVerdict(run.state, totals.results, run.settings.gate);
  const codes = exitCodes({ end, stopped: session.stop.exitCode(), run, totals, verdictCode: exitCodeOf(verdict) });
  const strongest = worst(codes);
  const exitCode = exitZero && strongest === EXIT.gate ? EXIT.pass : strongest;
  display.onFinished({ run, verdict, codes, exitCode, totals, causes: await readCauses(store, run), durationMs });
  return exitCode;
}

function exitCodes(input: {
  readonly end: WorkEnd;
  readonly stopped: number | null;
  readonly run: RunRow;
  readonly totals: RunTotals;
  readonly verdictCode: number;
}): number[] {
  const { end, stopped, run, totals, verdictCode } = input;
  const codes = [verdictCode];
  if (stopped !== null) codes.push(stopped);
  if (run.state === 'cancelled') codes.push(EXIT.incomplete);
  if (end.kind === 'blocked') codes.push(answered(totals) ? EXIT.incomplete : EXIT.access);
  return codes;
}

function answered({ jobs, tokens }: RunTotals): boolean {
  return jobs.succeeded > 0 || tokens.output > 0;
}
