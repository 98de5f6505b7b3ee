import type { EngineEvent } from '../../engine/events.ts';
import type { RunTotals } from '../../store/rows.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import type { RunOutcome } from './outcome.ts';

/** Shows a run to whoever watches. Nothing here decides anything; every text from outside is made harmless before it is shown. */
export interface Display {
  /** Takes what the engine tells, as it happens. */
  onEvent(event: EngineEvent): void;
  /** Takes the store's own numbers, e.g. once a second: they replace what was counted from events. */
  onTotals(totals: RunTotals): void;
  /** The last word on a run. */
  onFinished(outcome: RunOutcome): void;
  /** Gives the terminal back. Safe to call twice, and after anything went wrong. */
  close(): void;
}

/** The display that the global options ask for; with `--json` also the JSON lines on stdout. Loads only what it uses. */
export async function createDisplay(globals: Globals, io: CliIo): Promise<Display> {
  const onStderr = await stderrDisplay(globals, io);
  if (!globals.json) return onStderr;
  const { jsonDisplay } = await import('./json.ts');
  return both(jsonDisplay(io), onStderr);
}

async function stderrDisplay(globals: Globals, io: CliIo): Promise<Display> {
  switch (globals.display) {
    case 'full':
      return await (await import('./full.ts')).fullDisplay(io, globals.colour.stderr);
    case 'plain':
      return (await import('./plain.ts')).plainDisplay(io);
    case 'none':
      return (await import('./none.ts')).noneDisplay(io, globals);
  }
}

function both(first: Display, second: Display): Display {
  return {
    onEvent(event) {
      first.onEvent(event);
      second.onEvent(event);
    },
    onTotals(totals) {
      first.onTotals(totals);
      second.onTotals(totals);
    },
    onFinished(outcome) {
      first.onFinished(outcome);
      second.onFinished(outcome);
    },
    close() {
      first.close();
      second.close();
    },
  };
}
