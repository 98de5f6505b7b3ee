import { oneLine } from '../../domain/hostile-text.ts';
import type { RetrySelection } from '../../store/plan-rows.ts';
import type { JobRow, RunRow, RunTotals } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { rowLabel, shortJobId } from '../jobs/job-names.ts';
import { goOnSteps } from '../status/go-on.ts';
import { takeSnapshot } from '../status/snapshot.ts';
import { counted } from '../terminal/format.ts';
import { isAskable, mendingText } from './mending.ts';
import type { RunHere } from './run-here.ts';
import { runLine } from './run-line.ts';

/** What `retry` found where it has nothing to ask. */
export type Nothing = {
  readonly run: RunHere;
  readonly selection: RetrySelection;
  readonly totals: Pick<RunTotals, 'jobs' | 'results' | 'dlq'>;
  /** The jobs that were named, if any. */
  readonly named: readonly JobRow[];
  /** What goes on with the jobs that are open, as `status` says it, where any is. */
  readonly goOn: readonly string[];
};

/** Reads what there is instead. */
export async function readNothing(
  store: Pick<Store, 'getRun' | 'runTotals' | 'workers' | 'openCalls' | 'jobRecords' | 'spansMachines'>,
  run: RunRow,
  { selection, cwd, nowMs }: { selection: RetrySelection; cwd: string; nowMs: number },
): Promise<Nothing> {
  const records = selection.jobIds === null ? [] : await store.jobRecords(run.runId, selection.jobIds);
  const snapshot = await takeSnapshot(store, run.runId, nowMs);
  const { totals } = snapshot;
  const isOver = snapshot.state === 'finished' || snapshot.state === 'cancelled';
  return { run: snapshot.run, selection, totals, named: records.map(({ job }) => job), goOn: isOver ? [] : goOnSteps(snapshot, cwd) };
}

/** Why nothing is asked again, and on lines of their own what would help. */
export function nothingLines(nothing: Nothing, cwd: string): string[] {
  return [
    `nothing to ask again: ${whyText(nothing)}${openText(nothing.totals)}`,
    ...nextSteps(nothing, cwd).map((step) => `next: ${step}`),
  ];
}

function whyText({ run, selection, totals, named }: Nothing): string {
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return `${oneLine(rowLabel(run, only), 400)} of ${run.runId} ${stateText(only)}`;
  const [what, where] = selection.of === 'failed' ? ['has verdict fail', 'result'] : ['is in the DLQ', 'job'];
  if (only !== undefined) return `none of the ${named.length} jobs of ${run.runId} that were named ${what}`;
  const unmet = `no ${where} of ${run.runId} ${what}`;
  if (selection.of === 'failed' || totals.dlq.length === 0) return `${unmet}${insteadText(selection, totals)}`;
  const { reasons } = selection;
  const meant = reasons === null ? totals.dlq : totals.dlq.filter(({ reason }) => reasons.includes(reason));
  if (meant.length > 0) return `what ${run.runId} could not evaluate cannot be asked (${countsText(meant)})`;
  return `${unmet} for ${(reasons ?? []).join(' or ')}; there is ${countsText(totals.dlq)}`;
}

function countsText(dlq: RunTotals['dlq']): string {
  return dlq.map(({ reason, count }) => `${count}× ${reason}`).join(', ');
}

function openText({ jobs }: Nothing['totals']): string {
  const open = jobs.queued + jobs.running;
  return open === 0 ? '' : `; ${counted(open, 'job')} ${open === 1 ? 'is' : 'are'} queued already`;
}

/** The other of the two things that can be asked again. */
function insteadText({ of }: RetrySelection, { results, dlq }: Nothing['totals']): string {
  const failed = dlq.reduce((sum, { count }) => sum + count, 0);
  if (of === 'failed') return failed === 0 ? '' : `; ${counted(failed, 'job')} could not be evaluated`;
  return results.fail === 0 ? '' : `; ${counted(results.fail, 'result')} ${results.fail === 1 ? 'has' : 'have'} verdict fail`;
}

function stateText({ state, verdict, error }: JobRow): string {
  if (state === 'failed') return `could not be evaluated (${error?.reason ?? 'unknown'})`;
  if (state === 'cancelled') return 'was cancelled';
  if (verdict === null) return 'is not done yet';
  return verdict === 'review' ? 'waits for a person (review)' : `has verdict ${verdict}`;
}

/** What cures the cause first. What would pay for what was not asked for is named as its dry run, which says the price. */
function nextSteps({ run, selection, totals, named, goOn }: Nothing, cwd: string): string[] {
  // Its manifest leads to the newer run that took its identity.
  const rerun = isLeft(run) ? [] : [runLine(run, cwd)];
  const dlq = named.length === 0 ? totals.dlq : named.flatMap(({ error, state }) => (error !== null && state === 'failed' ? [error] : []));
  const mend = mendingText(dlq, run.manifest);
  const jobs = named.flatMap(({ jobId }) => [`--job ${shortJobId(jobId)}`]).join(' ');
  const retry = `aieval retry ${run.runId}`;
  const isMisnamed = selection.of === 'dlq' && selection.reasons !== null && dlq.length > 0;
  const steps = [
    ...(totals.jobs.queued + totals.jobs.running > 0 ? goOn : []),
    ...(mend === null ? [] : rerun.map((line) => `${mend}, then: ${line}`)),
    ...(selection.of === 'failed' && dlq.some(isAskable) ? [jobs === '' ? `${retry} --dry-run` : `${retry} ${jobs}`] : []),
    ...(isMisnamed && dlq.some(isAskable) ? [`${retry} --dry-run`] : []),
    ...(selection.of === 'dlq' && selection.reasons === null && failsOf({ totals, named }) > 0
      ? [`${retry} --failed ${jobs === '' ? '--dry-run' : jobs}`]
      : []),
    ...(named.some(({ state }) => state === 'cancelled') ? evaluating(run, rerun) : []),
  ];
  return steps.length > 0 ? steps : rerun.map((line) => `change the manifest or a document, then: ${line}`);
}

/** A cancelled job is evaluated by a run that is not this one: what is known is not asked again. */
function evaluating({ state }: RunRow, rerun: readonly string[]): readonly string[] {
  return state === 'finished' || state === 'cancelled' ? rerun : rerun.map((line) => `when this run is done: ${line}`);
}

function failsOf({ totals, named }: Pick<Nothing, 'totals' | 'named'>): number {
  return named.length === 0 ? totals.results.fail : named.filter(({ verdict }) => verdict === 'fail').length;
}

function isLeft({ state, holdsIdentity }: RunRow): boolean {
  return !holdsIdentity && (state === 'open' || state === 'planning');
}
