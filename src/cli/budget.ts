import { usdOf } from '../domain/money.ts';
import { openState } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { SettleOptions } from './options.ts';
import { counted, money } from './terminal/format.ts';

/** `aieval budget settle-unknown [RUN]`: books calls whose outcome nobody knows. */
export async function settleUnknownCommand(
  io: CliIo,
  globals: Globals,
  [name = 'latest']: readonly string[],
  { at }: SettleOptions,
): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const run = await findRun(store, name);
    const settled = await store.settleUnknown(run.runId, at);
    const { calls, nanoUsd, unpriced } = settled;
    if (globals.json) io.stdout.write(`${JSON.stringify({ v: 1, run: run.runId, at, calls, usd: usdOf(nanoUsd), unpriced })}\n`);
    else if (!globals.quiet) io.stdout.write(`${settledText(run.runId, settled)}\n`);
    return EXIT.pass;
  } finally {
    await store.close();
  }
}

/** What was booked, and what was left, on one line. */
export function settledText(runId: string, { calls, nanoUsd, unpriced }: { calls: number; nanoUsd: number; unpriced: number }): string {
  if (calls === 0 && unpriced === 0) return `Run ${runId} has no call of unknown outcome; nothing was changed.`;
  const left = unpriced > 0 ? `; ${unpriced} left because their price is unknown` : '';
  return `${counted(calls, 'call')} of unknown outcome settled at ${money(nanoUsd)}${left}`;
}
