import type { CacheEntry, CacheStats } from './cache-store.ts';

/** The entries of one model, summed. */
export type ModelColumns = CacheStats['byModel'][number] & { readonly oldestAtMs: number; readonly newestAtMs: number };

export function cacheStatsOf(rows: readonly ModelColumns[], knownBad: number): CacheStats {
  return {
    entries: rows.reduce((sum, { entries }) => sum + entries, 0),
    sizeBytes: rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    oldestAtMs: rows.length === 0 ? null : Math.min(...rows.map(({ oldestAtMs }) => oldestAtMs)),
    newestAtMs: rows.length === 0 ? null : Math.max(...rows.map(({ newestAtMs }) => newestAtMs)),
    knownBad,
    byModel: rows.map(({ model, entries, sizeBytes, paidNanoUsd }) => ({ model, entries, sizeBytes, paidNanoUsd })),
  };
}

/** What a statement selects of an entry. */
export type EntryColumns = Omit<CacheEntry, 'origin'> & CacheEntry['origin'];

export function cacheEntryOf({ runId, jobId, costNanoUsd, ...row }: EntryColumns): CacheEntry {
  return { ...row, origin: { runId, jobId, costNanoUsd } };
}
