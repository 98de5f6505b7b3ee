import { existsSync } from 'node:fs';
import { isCopied } from '../artifacts/copied-folder.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export type PlacedRun = { readonly store: Pick<Store, 'spansMachines'>; readonly run: Pick<RunRow, 'outDir'> };

/**
 * Whether a run's own folder is this machine's to write. Of a store that machines share without a disk it is where it stands, since it is
 * named after the run and made by whoever started it: nothing is made elsewhere, not even to look whether it can be.
 */
export function areFilesHere({ store, run }: PlacedRun): boolean {
  return !store.spansMachines || (existsSync(run.outDir) && !isCopied(run.outDir));
}
