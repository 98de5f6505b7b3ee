import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isCopied } from '../artifacts/copied-folder.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export type PlacedRun = { readonly store: Pick<Store, 'spansMachines'>; readonly run: Pick<RunRow, 'runId' | 'outDir' | 'isCopy'> };

/** As runs are called; what another machine calls one must be no name of something else. */
const RUN_ID = /^r-[0-9a-v]+$/;

/**
 * Whether a run's own folder is this machine's to write. Of a store that machines share without a disk it is where it stands, since it is
 * named after the run and made by whoever started it: nothing is made elsewhere, not even to look whether it can be. In a copy of the
 * database no folder is its own.
 */
export function areFilesHere({ store, run }: PlacedRun): boolean {
  if (!store.spansMachines) return true;
  const { runId, outDir, isCopy = false } = run;
  return !isCopy && RUN_ID.test(runId) && basename(outDir) === runId && existsSync(outDir) && !isCopied(outDir);
}
