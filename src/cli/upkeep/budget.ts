import { jsonLine } from '../../domain/hostile-text.ts';
import { usdOf } from '../../domain/money.ts';
import type { SettleOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findRun } from '../jobs/find-run.ts';
import { counted, money } from '../terminal/format.ts';

/** `aieval budget settle-unknown [RUN]`: books calls whose outcome nobody knows. */
export async function settleUnknownCommand(io: CliIo, globals: Globals, name: string, { at }: SettleOptions): Promise<number> {
  return await withStore(io, globals, async (store) => {
    const { runId } = await findRun(store, name);
    const settled = await store.settleUnknown(runId, at);
    const { calls, nanoUsd, atWorst, unpriced } = settled;
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, run: runId, at, calls, usd: usdOf(nanoUsd), unpriced, atWorst })}\n`);
    else if (!globals.quiet) io.stdout.write(`${settledText(runId, settled)}\n`);
    return EXIT.pass;
  });
}

type SettledCalls = { readonly calls: number; readonly nanoUsd: number; readonly atWorst: number; readonly unpriced: number };

/** What was booked, what of it for want of better, and what was left, on one line. */
export function settledText(runId: string, { calls, nanoUsd, atWorst, unpriced }: SettledCalls): string {
  if (calls === 0 && unpriced === 0) return `Run ${runId} has no call of unknown outcome; nothing was changed.`;
  const worst = atWorst > 0 ? `; ${atWorst} of them at the most they can cost, for want of a priced call of their model` : '';
  const left = unpriced > 0 ? `; ${unpriced} left because their price is unknown: --at zero books them as free` : '';
  return `${counted(calls, 'call')} of unknown outcome settled at ${money(nanoUsd)}${worst}${left}`;
}
