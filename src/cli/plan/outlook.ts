import { monthOf } from '../../domain/budget.ts';
import type { ResolvedManifest } from '../../domain/manifest/resolved.ts';
import { budgetOutlook, NOTHING_USED, type Outlook, type Used } from '../../engine/budget-outlook.ts';
import { settingsOf } from '../../engine/enqueue.ts';
import { type CallSum, type Estimate, estimates, type ModelEstimate, total } from '../../engine/plan-cost.ts';
import type { RunRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { servesAnswers } from './job-fates.ts';

/** What a run will likely cost, and what its budget says to that. */
export type CostOutlook = {
  readonly models: readonly ModelEstimate[];
  readonly total: Estimate;
  readonly bounds: readonly Outlook[];
};

export type OutlookInput = {
  readonly manifest: ResolvedManifest;
  readonly identity: string;
  /** Of all calls that will be made. */
  readonly sums: readonly CallSum[];
  readonly nowMs: number;
};

/** `store` is `null` when there is none yet: nothing is spent. */
export async function readOutlook(store: Store | null, { manifest, identity, sums, nowMs }: OutlookInput): Promise<CostOutlook> {
  const models = estimates(manifest, sums);
  const all = total(models);
  const { budget } = settingsOf(manifest);
  if (budget === null) return { models, total: all, bounds: [] };
  const used = store === null ? NOTHING_USED : await usedOf(store, manifest, identity, nowMs);
  return { models, total: all, bounds: budgetOutlook(budget, all, used) };
}

async function usedOf(store: Store, manifest: ResolvedManifest, identity: string, nowMs: number): Promise<Used> {
  const run = await unfinishedRunOf(store, identity);
  // Where no answer is looked up, every job passes for one to ask: what is spent is in the estimate already.
  const isApart = run !== undefined && servesAnswers(manifest);
  const ofRun = isApart ? await usedOfRun(store, run.runId) : NOTHING_USED;
  return { ...ofRun, groupNanoUsd: await usedOfGroup(store, manifest, nowMs) };
}

/** The run that a start of this identity would go on with. */
export async function unfinishedRunOf(store: Pick<Store, 'listRuns'>, identity: string): Promise<RunRow | undefined> {
  return (await store.listRuns()).find((each) => each.identity === identity && each.holdsIdentity && isUnfinished(each));
}

/** A `run` would go on with it. */
export function isUnfinished({ state }: RunRow): boolean {
  return state === 'planning' || state === 'open' || state === 'paused';
}

async function usedOfRun(store: Store, runId: string): Promise<Omit<Used, 'groupNanoUsd'>> {
  const { cost, tokens, budget } = await store.runTotals(runId);
  if (budget !== null) return budget;
  return { nanoUsd: (cost.spentNanoUsd ?? 0) + cost.reservedNanoUsd + cost.uncertainNanoUsd, tokens: tokens.input + tokens.output };
}

async function usedOfGroup(store: Store, { budget }: ResolvedManifest, nowMs: number): Promise<number> {
  const group = budget?.group ?? null;
  if (group === null) return 0;
  const months = (await store.budgetGroups()).filter(
    (each) => each.group === group.name && (group.per === 'total' || each.month === monthOf(nowMs)),
  );
  return months.reduce(
    (sum, { spentNanoUsd, reservedNanoUsd, uncertainNanoUsd }) => sum + spentNanoUsd + reservedNanoUsd + uncertainNanoUsd,
    0,
  );
}
