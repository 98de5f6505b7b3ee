import { oneLine } from '../../domain/hostile-text.ts';
import type { JobRecord, RunRow, StepRow, Waiting } from '../../store/rows.ts';
import { waitingText } from '../display/waiting-text.ts';
import { goOnSteps } from '../status/go-on.ts';
import type { ShownState, Snapshot } from '../status/snapshot.ts';
import { untilText } from '../terminal/format.ts';

/** What is known of a run while a job of it is open. */
export type OpenRun = {
  readonly state: ShownState;
  readonly waiting: readonly Waiting[];
  /** What goes on with it, where nobody works on it. */
  readonly next: readonly string[];
  readonly nowMs: number;
};

/** The same of a snapshot. */
export function openRunOf(snapshot: Snapshot, cwd: string): OpenRun {
  return { state: snapshot.state, waiting: snapshot.totals.waiting, next: goOnSteps(snapshot, cwd), nowMs: snapshot.asOfMs };
}

const LONGEST_TEXT = 400;

/** Why an open job does not go on, and until when; nothing for one that ended or runs. */
export function waitLines(run: RunRow, record: JobRecord, open: OpenRun | null): string[] {
  if (open === null || record.job.state !== 'queued') return [];
  const { state, nowMs } = open;
  if (state === 'paused') return [' Waits: the run is paused', ...open.next.map((step) => ` next: ${step}`)];
  const held = heldUp(run, record, open);
  const later = record.steps.find(({ state: step, runAtMs }) => step === 'queued' && runAtMs > nowMs);
  // A pause says the same, of all that waits.
  const isPaused = held.some(({ why }) => why === 'lane_paused' || why === 'model_paused');
  const reasons = [
    ...(later === undefined || isPaused ? [] : [retryText(record, later, nowMs)]),
    ...held.map((each) => waitingText(each, nowMs)),
  ];
  const lines = reasons.map((reason) => ` Waits: ${reason}`);
  if (state !== 'interrupted') return lines.length === 0 ? [' Waits: for its turn'] : lines;
  return [...lines, ' Nobody works on this run.', ...open.next.map((step) => ` next: ${step}`)];
}

function retryText({ attempts }: JobRecord, { stepId, runAtMs }: StepRow, nowMs: number): string {
  const failure = attempts.findLast((attempt) => attempt.stepId === stepId && attempt.failure !== null)?.failure ?? null;
  const why = failure === null ? '' : ` after ${failure.reason}: ${oneLine(failure.message, LONGEST_TEXT)}`;
  return `to be tried again at ${untilText(runAtMs, nowMs)}${why}`;
}

/** What holds up the job's provider, or the whole run. */
function heldUp({ manifest }: RunRow, { job }: JobRecord, { waiting }: OpenRun): readonly Waiting[] {
  const model = manifest.models[job.model];
  const names = model === undefined ? [] : [model.provider, `${model.provider}/${model.group}`];
  return waiting.filter(({ why, lane = null }) => why !== 'backoff' && (lane === null || names.includes(lane)));
}
