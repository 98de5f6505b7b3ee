import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import type { Display } from './display.ts';

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
