import type { ResolvedManifest } from '../domain/manifest/resolved.ts';
import { priceOf } from '../providers/price-table.ts';

/** With the price of each model, looked up once: what a run reserves and what it books afterwards follow the same one. */
export function withPrices(manifest: ResolvedManifest): ResolvedManifest {
  const models = Object.values(manifest.models).map((model) => {
    const provider = manifest.providers[model.provider];
    return [model.id, provider === undefined ? model : { ...model, price: priceOf(model, provider) }] as const;
  });
  return { ...manifest, models: Object.fromEntries(models) };
}
