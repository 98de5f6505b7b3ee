import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { DEFAULT_RUN } from '../commands/command-parts.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { partText } from './part-text.ts';

type Told = Pick<Globals, 'quiet'> & { readonly store: Pick<Store, 'runTotals'>; readonly run: RunRow };

/** Who named no run may mean the one before: says where the latest is only a part of its manifest. For output that does not say so itself. */
export async function tellLatestPart({ stderr }: CliIo, name: string, { quiet, store, run }: Told): Promise<void> {
  if (quiet || name !== DEFAULT_RUN || run.settings.selection === undefined) return;
  const part = partText(run.settings, (await store.runTotals(run.runId)).jobs.total);
  if (part !== null) stderr.write(`note: ${run.runId}, the latest run, is a part of its manifest: ${part}\n`);
}
