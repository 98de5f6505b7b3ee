import { stopText } from '../display/stop-text.ts';
import { continueLine } from '../run/run-line.ts';
import type { Snapshot } from './snapshot.ts';

/** What goes on with an unfinished run on which nobody works: a command for each way, with what stopped it mended where something did. */
export function goOnSteps(
  { run, state, totals, stoppedBy, openNanoUsd, nextCall, asOfMs: nowMs }: Snapshot,
  cwd: string,
): readonly string[] {
  if (state === 'paused') return [`aieval resume ${run.runId}`];
  const stopped = stoppedBy === null ? null : stopText({ run, totals, waiting: totals.waiting, openNanoUsd, nextCall, nowMs, cwd });
  return stopped?.next ?? [continueLine(run, cwd, totals.waiting)];
}
