import { NO_BUDGET } from '../domain/kept-bound.ts';
import { valueAt } from '../domain/manifest/raw.ts';
import type { ResolvedBudget, ResolvedManifest } from '../domain/manifest/resolved.ts';
import type { Source } from '../domain/manifest/source.ts';

export type UnstatedSettings = {
  readonly concurrency?: number;
  readonly maxCost?: number;
  readonly maxJobs?: number;
  readonly maxQueueDepth?: number;
};

/** What is said elsewhere than in the manifest, for this start. */
export type StartSettings = {
  /** In the place of `budget.usd`, `maxJobs` and `maxQueueDepth`. */
  readonly maxCost?: number | undefined;
  readonly maxJobs?: number | undefined;
  readonly maxQueueDepth?: number | undefined;
  /** Where the manifest says nothing. */
  readonly unstated?: UnstatedSettings | undefined;
};

/** The manifest with the settings of this start; `source` tells what it states itself. */
export function withSettings(
  manifest: ResolvedManifest,
  source: Source,
  { maxCost, maxJobs, maxQueueDepth, unstated = {} }: StartSettings,
): ResolvedManifest {
  const isStated = (...path: string[]): boolean => valueAt(source.value, path) !== undefined;
  const usd = maxCost ?? (isStated('budget', 'usd') ? undefined : unstated.maxCost);
  const { concurrency, maxJobs: most } = unstated;
  return {
    ...manifest,
    concurrency: concurrency === undefined || isStated('concurrency') ? manifest.concurrency : concurrency,
    maxJobs: maxJobs ?? (most === undefined || isStated('maxJobs') ? manifest.maxJobs : most),
    maxQueueDepth: maxQueueDepth ?? manifest.maxQueueDepth ?? unstated.maxQueueDepth ?? null,
    budget: usd === undefined ? manifest.budget : withMaxCost(manifest.budget, usd),
  };
}

/** The budget with this bound in USD in the place of its own; the others stay. */
export function withMaxCost(budget: ResolvedBudget | null, usd: number): ResolvedBudget {
  return { ...(budget ?? NO_BUDGET), usd, ofStart: true };
}
