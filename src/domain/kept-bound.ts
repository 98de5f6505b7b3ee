import type { ResolvedBudget, ResolvedManifest } from './manifest/resolved.ts';
import { DEFAULT_WARN_AT } from './manifest/schema-budget.ts';
import { nanoUsdOf } from './money.ts';
import type { RunSettings } from './run.ts';

/** Without any bound. */
export const NO_BUDGET: ResolvedBudget = { usd: null, tokens: null, minutes: null, warnAt: DEFAULT_WARN_AT, group: null };

type Started = { readonly manifest: ResolvedManifest; readonly settings: RunSettings };

/**
 * A start that joins a run, with the bound in USD that the run has from an earlier start (`--max-cost`), unless this one states another: the
 * same command typed without it, here or in a second terminal, must not lift a limit that somebody relies on. A bound that the manifest
 * stated goes with the manifest.
 */
export function withKeptBound({ manifest, settings }: Started, before: Pick<ResolvedManifest, 'budget'>): Started {
  const usd = before.budget?.ofStart === true ? before.budget.usd : null;
  if (usd === null || manifest.budget?.ofStart === true) return { manifest, settings };
  const { tokens, warnAt } = manifest.budget ?? NO_BUDGET;
  return {
    manifest: { ...manifest, budget: { ...(manifest.budget ?? NO_BUDGET), usd, ofStart: true } },
    settings: { ...settings, budget: { activeMs: null, group: null, tokens, warnAt, ...settings.budget, nanoUsd: nanoUsdOf(usd) } },
  };
}
