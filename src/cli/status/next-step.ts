import type { EngineEvent, OnEvent } from '../../engine/events.ts';
import type { RunRow } from '../../store/rows.ts';
import { continueLine } from '../run/run-line.ts';

/** Tells events with the command that goes on with the run, where one is needed: the engine knows no folder that it is typed in. */
export function withNextStep(tell: OnEvent, run: RunRow, cwd: string): OnEvent {
  return (event) => tell(event.kind === 'lane.paused' ? { ...event, next: nextOf(event, run, cwd) } : event);
}

function nextOf({ untilMs }: Extract<EngineEvent, { kind: 'lane.paused' }>, run: RunRow, cwd: string): string {
  return `${continueLine(run, cwd)}${untilMs !== null && run.holdsIdentity ? ' --wait' : ''}`;
}
