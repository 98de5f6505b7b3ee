import type { ModelTotals, RunRow } from '../../store/rows.ts';

/** The models as the manifest lists them: a store sorts by name. */
export function inManifestOrder(models: readonly ModelTotals[], { manifest }: Pick<RunRow, 'manifest'>): readonly ModelTotals[] {
  const order = Object.keys(manifest.models);
  return [...models].sort((a, b) => order.indexOf(a.model) - order.indexOf(b.model));
}
