import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { usableColumns } from '../terminal/look.ts';
import { painter } from '../terminal/style.ts';
import type { Display } from './display.ts';
import { outcomeLines } from './outcome.ts';

/** Silence, but for what went wrong: the last block of a run that did not pass. With `--json` stdout says that already. */
export function noneDisplay(io: CliIo, look: { readonly json: boolean; readonly colour: { readonly stderr: boolean } }): Display {
  return {
    onEvent: () => undefined,
    onTotals: () => undefined,
    onFinished(outcome) {
      if (outcome.exitCode === EXIT.pass || look.json) return;
      const paint = painter(look.colour.stderr);
      const columns = usableColumns(io.stderr, Number.POSITIVE_INFINITY);
      for (const line of outcomeLines(outcome, { cwd: io.cwd, lead: io.notes.lead, paint, columns })) io.stderr.write(`${line}\n`);
    },
    close: () => undefined,
  };
}
