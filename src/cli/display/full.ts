import type { EngineEvent } from '../../engine/events.ts';
import type { CliIo } from '../io.ts';
import { usableColumns } from '../terminal/look.ts';
import { painter } from '../terminal/style.ts';
import { AllProgress } from './all-progress.ts';
import type { Display } from './display.ts';
import { LiveText, SPINNER_COLUMNS } from './live-text.ts';
import { outcomeLines } from './outcome.ts';
import { documentsLine, panelLines } from './panel.ts';
import { scrollLine } from './scroll-line.ts';
import type { OnFault } from './unbroken.ts';

/** Where a terminal has lost its size. */
const USUAL_COLUMNS = 80;
/** Left free: `^C`, as the terminal echoes it behind the panel, must not begin a row that nobody clears. */
const ECHO_COLUMNS = 4;

type Reading = Extract<EngineEvent, { kind: 'documents.progress' }>;

/**
 * The live panel on a terminal: one ora whose text is the panel; what went wrong scrolls past above it. Lines are collected until the
 * next redraw, since each write is one. After an error in the panel, which `onFault` hears, the lines scroll past alone.
 */
export async function fullDisplay(io: CliIo, colour: boolean, onFault: OnFault): Promise<Display> {
  const { default: ora } = await import('ora');
  const paint = painter(colour);
  const progress = new AllProgress();
  let reading: Reading | null = null;
  const columns = (): number => usableColumns(io.stderr, USUAL_COLUMNS) - 1;
  const lines = (): string[] => {
    const room = Math.max(1, columns() - SPINNER_COLUMNS - ECHO_COLUMNS);
    if (reading !== null) return [documentsLine(reading.done, reading.total, reading.documentId, room)];
    return panelLines(progress.standing, { columns: room, rows: io.stderr.rows ?? 24, paint, nowMs: io.now() });
  };
  const makeSpinner = (suffixText: () => string) =>
    // Raw mode would take Ctrl-Z and Ctrl-\ from the user.
    ora({ stream: io.stderr, discardStdin: false, isEnabled: true, color: colour ? 'cyan' : false, suffixText });
  const live = new LiveText({ io, lines, makeSpinner, onFault });
  return {
    onEvent(event) {
      progress.onEvent(event);
      if (event.kind === 'documents.progress') reading = event;
      if (event.kind === 'run.started') reading = null;
      const line = scrollLine(event, columns(), paint);
      if (line !== null) live.scroll(line);
      if (event.kind === 'documents.progress' || event.kind === 'run.started') live.open();
      // A person who asked is answered at once.
      if (event.kind === 'stopping') live.flush();
    },
    onTotals: (all) => progress.onTotals(all, io.now()),
    onFinished(outcome) {
      live.stop();
      for (const line of outcomeLines(outcome, { cwd: io.cwd, lead: io.notes.lead, paint, columns: columns() }))
        io.stderr.write(`${line}\n`);
      progress.end(outcome.run.runId);
      // The others go on.
      if (progress.runs.size > 0) live.open();
    },
    close: () => live.close(),
  };
}
