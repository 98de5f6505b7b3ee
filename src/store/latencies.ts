import { grouped } from './grouped.ts';
import type { ModelTotals } from './rows.ts';

type Latencies = Pick<ModelTotals, 'p50Ms' | 'p95Ms'>;

export const NO_LATENCIES: Latencies = { p50Ms: null, p95Ms: null };

/** How many answered calls of a model took about as long. */
export type LatencyBucket = { readonly model: string; readonly bucket: number; readonly calls: number };

/** How long answered calls took; a model without one is missing. `buckets` come in their order. */
export function latenciesByModel(buckets: readonly LatencyBucket[]): ReadonlyMap<string, Latencies> {
  return new Map([...grouped(buckets, ({ model }) => model)].map(([model, own]) => [model, latenciesOf(own)]));
}

function latenciesOf(buckets: readonly LatencyBucket[]): Latencies {
  return { p50Ms: percentile(buckets, 0.5), p95Ms: percentile(buckets, 0.95) };
}

/** Of buckets in their order. */
function percentile(buckets: readonly LatencyBucket[], share: number): number | null {
  let missing = Math.ceil(share * buckets.reduce((sum, { calls }) => sum + calls, 0));
  for (const { bucket, calls } of buckets) {
    missing -= calls;
    if (missing <= 0) return middleOf(bucket);
  }
  return null;
}

/** A bucket is an eighth of a doubling of milliseconds. */
function middleOf(bucket: number): number {
  return Math.round(2 ** ((bucket + 0.5) / 8));
}
