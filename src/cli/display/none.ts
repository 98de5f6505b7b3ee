import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { painter } from '../terminal/style.ts';
import type { Display } from './display.ts';
import { headline } from './outcome.ts';

/** Silence, but for what went wrong: one line when the run did not pass. With `--json` stdout says that already. */
export function noneDisplay(io: CliIo, look: { readonly json: boolean; readonly colour: { readonly stderr: boolean } }): Display {
  return {
    onEvent: () => undefined,
    onTotals: () => undefined,
    onFinished(outcome) {
      if (outcome.exitCode === EXIT.pass || look.json) return;
      const paint = painter(look.colour.stderr);
      io.stderr.write(`${headline(outcome, { cwd: io.cwd, paint, columns: Number.POSITIVE_INFINITY })}\n`);
    },
    close: () => undefined,
  };
}
