import type { Reason } from '../../domain/reason.ts';
import type { Pool } from '../../engine/pool.ts';
import { writeJobArtifacts } from '../../engine/projections.ts';
import { workRun } from '../../engine/run-work.ts';
import type { WorkEnd } from '../../engine/work-loop.ts';
import type { NewWorker } from '../../store/plan-rows.ts';
import type { JobRecord, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { BudgetWatch } from '../display/budget-text.ts';
import type { Display } from '../display/display.ts';
import type { RunNumbers, ShownTotals } from '../display/progress.ts';
import type { CliIo } from '../io.ts';
import { inManifestOrder } from '../jobs/model-order.ts';
import { withNextStep } from '../status/next-step.ts';
import { packageVersion } from '../version.ts';
import { conclude } from './conclude.ts';
import { runHere } from './run-here.ts';
import { continueLine } from './run-line.ts';
import type { Session } from './session.ts';
import { underStop } from './stop.ts';
import { withTotals } from './with-totals.ts';

export type Execution = {
  readonly store: Store;
  readonly run: RunRow;
  readonly pool: Pool;
  readonly display: Display;
  readonly session: Session;
  readonly concurrency: number;
  readonly worker: NewWorker;
  readonly exitZero: boolean;
  /** Whether to stay for whatever names a time, however far off. */
  readonly wait: boolean;
  /** Reasons of which all failed jobs are asked again. */
  readonly askedAgain?: readonly Reason[];
  /** The manifest that this process started the run with; absent: it took it from the store. */
  readonly startedWith?: string;
  /** Done when the work is over and its files are written, before the outcome is told. */
  readonly beforeOutcome?: (run: RunRow) => Promise<void>;
};

/** Works on a planned run, writes its files and tells its outcome. Returns the exit code. */
export async function execute(io: CliIo, execution: Execution): Promise<number> {
  const { stop } = execution.session;
  const startedAtMs = io.now();
  io.notes.runId = execution.run.runId;
  const { store, run } = execution;
  const goOn = continueLine(runHere(run, execution), io.cwd);
  return await underStop(stop, { store, goOn }, async () => {
    const end = await workWithTotals(io, execution);
    const nowMs = io.now();
    return await conclude({ ...execution, stop, end, durationMs: nowMs - startedAtMs, nowMs });
  });
}

async function workWithTotals(io: CliIo, execution: Execution): Promise<WorkEnd> {
  const { store, run, pool, display, session, concurrency, worker, wait } = execution;
  const work = {
    ...{ store, run, worker, pool, concurrency, wait },
    providers: session.providers,
    signals: session.stop.signals,
    onEvent: withNextStep(display.onEvent, runHere(run, execution), io),
    onWork: display.onWork,
    now: io.now,
    inFlight: session.inFlight,
    project: (record: JobRecord) => writeJobArtifacts({ store, run, version: packageVersion() }, record),
  };
  const watch = new BudgetWatch(run.settings.budget);
  const totals = async (): Promise<readonly RunNumbers[]> => {
    const shown = await shownTotals(store, run);
    for (const message of watch.news(shown.budget)) display.onEvent({ kind: 'warning', message });
    return [{ runId: run.runId, totals: shown }];
  };
  const end = await withTotals(display, totals, () => workRun(work));
  // What was spent since the last look is told, too.
  await totals();
  return end;
}

async function shownTotals(store: Store, run: RunRow): Promise<ShownTotals> {
  const totals = await store.runTotals(run.runId);
  const { models } = run.manifest;
  const byModel = inManifestOrder(totals.byModel, run).map((model) => ({ ...model, ...providerOf(models[model.model]) }));
  return { ...totals, byModel };
}

function providerOf(model: { readonly provider: string } | undefined): { readonly provider?: string } {
  return model === undefined ? {} : { provider: model.provider };
}
