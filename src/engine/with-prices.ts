import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { DEFAULT_WARN_AT } from '../domain/manifest/schema-budget.ts';
import { priceOf } from '../providers/price-table.ts';

/** With the price of each model, looked up once: what a run reserves and what it books afterwards follow the same one. */
export function withPrices(manifest: ResolvedManifest): ResolvedManifest {
  const models = Object.values(manifest.models).map((model) => {
    const provider = manifest.providers[model.provider];
    return [model.id, provider === undefined ? model : { ...model, price: priceOf(model, provider) }] as const;
  });
  return { ...manifest, models: Object.fromEntries(models) };
}

const NO_BUDGET = { usd: null, tokens: null, minutes: null, warnAt: DEFAULT_WARN_AT, group: null };

/** `--max-cost`: for this start it takes the place of `budget.usd`. */
export function withMaxCost(manifest: ResolvedManifest, maxCostUsd: number | undefined): ResolvedManifest {
  return maxCostUsd === undefined ? manifest : { ...manifest, budget: { ...(manifest.budget ?? NO_BUDGET), usd: maxCostUsd } };
}
