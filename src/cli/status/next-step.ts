import type { EngineEvent, OnEvent } from '../../engine/events.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import type { RunHere } from '../run/run-here.ts';
import { afterMending, canStart, continueLine, runLine } from '../run/run-line.ts';

/** Tells events with the command that goes on with the run, where one is needed: the engine knows no folder that it is typed in. */
export function withNextStep(tell: OnEvent, run: RunHere, io: Pick<CliIo, 'cwd' | 'notes'>): OnEvent {
  return (event) => tell(event.kind === 'lane.paused' ? { ...event, next: asTyped(nextOf(event, run, io.cwd), io.notes.lead) } : event);
}

function nextOf({ untilMs }: Extract<EngineEvent, { kind: 'lane.paused' }>, run: RunHere, cwd: string): string {
  if (untilMs === null) return afterMending(run, cwd);
  return canStart(run) ? runLine(run, cwd, ['--wait']) : continueLine(run, cwd);
}
