import { jsonLine, oneLine } from '../../domain/hostile-text.ts';
import { writeUnwritten } from '../../engine/unwritten.ts';
import type { JobRow, RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { CancelOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { hasFilter, openJobsOf } from '../jobs/job-filter.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { writeHtml } from '../results/html-output.ts';
import { counted } from '../terminal/format.ts';
import { packageVersion } from '../version.ts';
import { finishPaid } from './finish-paid.ts';
import { inFlightText, isWorkedOn } from './in-flight-text.ts';

/**
 * `aieval cancel [RUN]`: ends a run's queued work, or with filters that of some jobs. Doing it to what is over changes nothing and is
 * no error.
 */
export async function cancelCommand(io: CliIo, globals: Globals, name: string, options: CancelOptions): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const run = await findRun(store, name);
    if (options.dryRun === true) return tellPlan(io, globals, { run, options, jobs: await openJobsOf(store, run, options) });
    return await (hasFilter(options) ? cancelJobs : cancelRun)(io, globals, { store, run, options });
  });
}

const LONGEST_NAME = 400;

type Cancel = { readonly store: Store; readonly run: RunRow; readonly options: CancelOptions };

async function cancelRun(io: CliIo, globals: Globals, { store, run, options }: Cancel): Promise<number> {
  const now = options.now === true;
  const before = (await store.runTotals(run.runId)).jobs;
  const tellsSteps = !globals.json && !globals.quiet && before.queued >= MANY_JOBS;
  if (tellsSteps) io.stderr.write(`Cancelling ${before.queued} queued jobs of run ${run.runId}; this takes a while.\n`);
  const asked = await store.cancelRun(run.runId, { now });
  const mended = await mends(io, store, run);
  if (tellsSteps) io.stderr.write(`Writing the files of run ${run.runId}.\n`);
  await store.finishRun(run.runId);
  await writeFiles(io, store);
  const { jobs } = await store.runTotals(run.runId);
  const changed = asked.changed || mended;
  const isWorked = await isWorkedOn(store, run.runId);
  const done = { changed, cancelled: asked.cancelled, running: jobs.running, isWorked, now };
  const restored = asked.cancelled - Math.max(0, jobs.cancelled - before.cancelled);
  tell(io, globals, { run, done, sentence: changed ? cancelledText(run, { ...done, mended, restored }) : over(run, done) });
  return EXIT.pass;
}

/** Whether what a process that is gone held of the cancelled run was taken back or judged by this command. */
async function mends(io: CliIo, store: Store, { runId, state, revision }: RunRow): Promise<boolean> {
  if (!(await finishPaid(io, store, runId)) || state !== 'cancelled') return false;
  const now = await store.getRun(runId);
  return now !== null && now.revision !== revision;
}

/** So many take seconds, in which a person wants to know that something is done. */
const MANY_JOBS = 500;

/** `restored`: of the jobs that ended those that were asked afresh, and have their old result again. */
type Ended = Done & { readonly mended: boolean; readonly restored: number };

function cancelledText({ runId, state }: RunRow, { cancelled, mended, restored }: Ended): string {
  if (state === 'cancelled')
    return `Run ${runId} was cancelled already${mended ? '; what a process that is gone held of it is ended' : ''}.`;
  const undone = `${counted(cancelled, 'job')} will not be done`;
  if (restored <= 0) return `Cancelled run ${runId}: ${undone}.`;
  return `Cancelled run ${runId}: ${undone}; of ${restored} the result of before stands again.`;
}

async function cancelJobs(io: CliIo, globals: Globals, { store, run, options }: Cancel): Promise<number> {
  const now = options.now === true;
  const jobs = await openJobsOf(store, run, options);
  if (jobs.length === 0) return nothingOpen(io, globals, run);
  const { changed, cancelled, running } = await store.cancelJobs(
    run.runId,
    jobs.map(({ jobId }) => jobId),
    { now },
  );
  // With its last open jobs cancelled a run that nobody works on is done.
  if (await store.finishRun(run.runId)) await writeFiles(io, store);
  tell(io, globals, {
    run,
    done: { changed, cancelled, running, isWorked: await isWorkedOn(store, run.runId), now },
    sentence: `Cancelled ${counted(cancelled, 'job')} of run ${run.runId}.`,
  });
  return EXIT.pass;
}

async function writeFiles(io: CliIo, store: Store): Promise<void> {
  await writeUnwritten(store, packageVersion(), (message) => io.stderr.write(`warning: ${message}\n`), writeHtml);
}

function nothingOpen(io: CliIo, globals: Globals, { runId }: RunRow): number {
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, run: runId, changed: false, cancelled: 0, running: 0 })}\n`);
  io.stderr.write(`no open job of run ${runId} matches; nothing was changed\n`);
  return EXIT.empty;
}

/** `changed` and `cancelled`: by this command. */
type Done = {
  readonly changed: boolean;
  readonly cancelled: number;
  readonly running: number;
  readonly isWorked: boolean;
  readonly now: boolean;
};

type Told = { readonly run: RunRow; readonly done: Done; readonly sentence: string };

function tell(io: CliIo, globals: Globals, { run, done, sentence }: Told): void {
  const { changed, cancelled, running } = done;
  if (globals.json) io.stdout.write(`${jsonLine({ v: 1, run: run.runId, changed, cancelled, running })}\n`);
  else if (!globals.quiet) io.stdout.write(`${sentence}${runningText(done)}\n`);
}

function runningText({ running, isWorked, now }: Done): string {
  if (running === 0) return '';
  return now && isWorked ? ` ${counted(running, 'job')} in flight will end within seconds.` : ` ${inFlightText(running, isWorked)}`;
}

function over({ runId, state }: RunRow, { running }: Done): string {
  return `Run ${runId} is ${state} already${running === 0 ? '; nothing was changed.' : '.'}`;
}

/** `--dry-run`: the jobs, one a line, under what would become of them. */
function tellPlan(io: CliIo, globals: Globals, plan: { run: RunRow; options: CancelOptions; jobs: readonly JobRow[] }): number {
  const { run, options, jobs } = plan;
  const cancelled = jobs.filter(({ state }) => state === 'queued').length;
  const running = jobs.length - cancelled;
  if (globals.json) {
    const records = jobs.map(({ jobId, documentId, task, model, repeat, state }) => ({
      jobId,
      document: documentId,
      task,
      model,
      repeat,
      state,
    }));
    io.stdout.write(`${jsonLine({ v: 1, run: run.runId, dryRun: true, cancelled, running, jobs: records })}\n`);
  } else {
    const fate = options.now === true ? 'would be ended' : 'would finish and be kept';
    const inFlight = running > 0 ? `; ${counted(running, 'job')} in flight ${fate}` : '';
    const lines = jobs.map((job) => `  ${job.state.padEnd(7)}  ${shortJobId(job.jobId)}  ${oneLine(rowLabel(run, job), LONGEST_NAME)}`);
    io.stdout.write(`${[`Would cancel ${counted(cancelled, 'job')} of run ${run.runId}${inFlight}.`, ...lines].join('\n')}\n`);
  }
  return jobs.length === 0 && hasFilter(options) ? EXIT.empty : EXIT.pass;
}
