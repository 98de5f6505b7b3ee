import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import type { Store } from '../../store/store.ts';
import { counted, money } from '../terminal/format.ts';
import { isUnfinished } from './outlook.ts';

type OtherStore = Pick<Store, 'listRuns' | 'runTotals'>;

/**
 * What `budget.usd` does not count: money that other runs of a manifest of this name have spent. Nothing without such a bound, or where
 * the budget's group bounds them all.
 */
export async function otherRunsNote(
  store: OtherStore | null,
  { manifest, identity }: { readonly manifest: ResolvedManifest; readonly identity: string },
): Promise<string[]> {
  const { budget, name } = manifest;
  if (store === null || budget?.usd == null || budget.group !== null) return [];
  const others = (await store.listRuns()).filter(
    (run) => run.name === name && !(run.identity === identity && run.holdsIdentity && isUnfinished(run)),
  );
  const spent: number[] = [];
  for (const { runId } of others) {
    const { cost } = await store.runTotals(runId);
    const nanoUsd = (cost.spentNanoUsd ?? 0) + cost.uncertainNanoUsd;
    if (nanoUsd > 0) spent.push(nanoUsd);
  }
  if (spent.length === 0) return [];
  const sum = money(spent.reduce((all, one) => all + one, 0));
  return [
    `${counted(spent.length, 'other run')} of "${name}" spent ${sum}: budget.usd begins anew with each run, budget.group bounds all together`,
  ];
}
