import type { Reason } from '../../domain/reason.ts';
import { selectedPart } from '../../domain/selection.ts';
import type { RunRow } from '../../store/rows.ts';
import { settleLine, stopText } from '../display/stop-text.ts';
import { isAskable, mendingText } from '../run/mending.ts';
import { continueLine, manifestLine, runLine, wholeLine } from '../run/run-line.ts';
import { goOnSteps } from './go-on.ts';
import { isHeldByNobody, type Snapshot } from './snapshot.ts';
import { causeOf, mainWait } from './stop-cause.ts';

/** What to type next, for the run as it stands; nothing where it goes on by itself. */
export function nextSteps(snapshot: Snapshot, cwd: string): readonly string[] {
  const { run, totals } = snapshot;
  const steps = stateSteps(snapshot, cwd);
  return totals.cost.uncertainCalls > 0 && !steps.includes(settleLine(run)) ? [...steps, settleLine(run)] : steps;
}

function stateSteps(snapshot: Snapshot, cwd: string): readonly string[] {
  const { run, state, totals } = snapshot;
  switch (state) {
    case 'running':
      // What is in is worked on, and nobody adds the rest.
      return snapshot.plan?.isGoing === false ? [continueLine(run, cwd)] : stalledSteps(snapshot, cwd);
    case 'interrupted':
    case 'paused':
      return goOnSteps(snapshot, cwd);
    case 'cancelled':
      // Nobody works on a cancelled run by itself: asked again, cancel ends what a process that is gone held.
      return isHeldByNobody(snapshot) ? [`aieval cancel ${run.runId}`] : [];
    case 'finished':
      return [...mendingSteps(run, totals.dlq, runLine(run, cwd)), `aieval summary ${run.runId}`, ...wholeStep(snapshot, cwd)];
  }
}

/** Of a run of a part. */
function wholeStep({ run, totals }: Snapshot, cwd: string): string[] {
  return selectedPart(run.settings, totals.jobs.total) === null ? [] : [`the whole: ${wholeLine(run, cwd)}`];
}

function mendingSteps({ runId, manifest }: RunRow, dlq: readonly { readonly reason: Reason }[], again: string): string[] {
  const mend = mendingText(dlq, manifest);
  return [...(dlq.some(isAskable) ? [`aieval retry ${runId}`] : []), ...(mend === null ? [] : [`${mend}, then: ${again}`])];
}

/** What a person can do about a run that is worked on and does not move. */
function stalledSteps({ run, totals, stalled, openNanoUsd, nextCall, asOfMs: nowMs }: Snapshot, cwd: string): readonly string[] {
  switch (stalled?.why) {
    case 'no_answer':
      return [manifestLine(run, cwd, ['doctor', '--online'])];
    case 'not_taken':
      return [continueLine(run, cwd, totals.waiting)];
    case 'waits':
      break;
    default:
      return [];
  }
  const wait = mainWait(totals.waiting);
  if (wait === null) return [];
  if (wait.untilMs === null) return stopText({ run, totals, waiting: totals.waiting, openNanoUsd, nextCall, nowMs, cwd })?.next ?? [];
  // A start of the run takes a provider that named a time at its word.
  return causeOf(wait) === 'provider' ? [`to ask again now: aieval resume ${run.runId}`] : [];
}
