import { grouped } from '../../grouped.ts';
import type { ModelTotals } from '../../rows.ts';
import type { Sql } from '../sql.ts';

export type Latencies = Pick<ModelTotals, 'p50Ms' | 'p95Ms'>;

export const NO_LATENCIES: Latencies = { p50Ms: null, p95Ms: null };

type Bucket = { readonly model: string; readonly bucket: number; readonly calls: number };

const SELECT_BUCKETS = `SELECT model, bucket, calls FROM run_latencies WHERE run_id = :runId ORDER BY model, bucket`;

/** By model, how long answered calls took; a model without one is missing. */
export function latencies(sql: Sql, runId: string): ReadonlyMap<string, Latencies> {
  const buckets = sql.all<Bucket>(SELECT_BUCKETS, { runId });
  return new Map([...grouped(buckets, ({ model }) => model)].map(([model, own]) => [model, latenciesOf(own)]));
}

function latenciesOf(buckets: readonly Bucket[]): Latencies {
  return { p50Ms: percentile(buckets, 0.5), p95Ms: percentile(buckets, 0.95) };
}

/** Of buckets in their order. */
function percentile(buckets: readonly Bucket[], share: number): number | null {
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
