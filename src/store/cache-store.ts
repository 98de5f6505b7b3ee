import type { Json } from '../domain/canonical-json.ts';
import type { Completion } from '../domain/completion.ts';
import type { Origin } from '../domain/result.ts';
import type { CallStepKind } from '../domain/step.ts';

export type CacheStats = {
  readonly entries: number;
  /** Of answers and completions as they are stored. */
  readonly sizeBytes: number;
  readonly oldestAtMs: number | null;
  readonly newestAtMs: number | null;
  /** Questions whose answer is known to be bad: not asked again until somebody retries. */
  readonly knownBad: number;
  readonly byModel: readonly {
    readonly model: string;
    readonly entries: number;
    readonly sizeBytes: number;
    readonly paidNanoUsd: number;
  }[];
};

/** Which entries to drop: all that match every part that is given. */
export type CacheSelection = {
  /** What the provider calls the model. */
  readonly model: string | null;
  readonly namespace: string | null;
  readonly endpoint: string | null;
  readonly storedBeforeMs: number | null;
};

/** One answer with all that is needed to serve it on another machine. */
export type CacheEntry = {
  readonly key: string;
  /** The parts of the key; `key` is the hash of it. */
  readonly keyRecord: Json;
  readonly callToken: string;
  readonly stepKind: CallStepKind;
  readonly completion: Completion;
  readonly answer: Json;
  readonly repaired: boolean;
  readonly recordedAtMs: number;
  readonly storedAtMs: number;
  readonly origin: Omit<Origin, 'latencyMs'>;
};

/** What became of imported entries, each counted once. */
export type Imported = {
  readonly added: number;
  readonly replaced: number;
  /** Changed nothing: known already, or older than what is here. */
  readonly kept: number;
  /** Left out: another answer of the same call is known here, or one is still to come. */
  readonly conflicts: number;
};

/** The answers that outlive their runs. Dropping one never touches a run's own results. */
export interface CacheStore {
  cacheStats(): Promise<CacheStats>;
  /**
   * Drops the entries, and what is known bad of the same selection; says how many of both. What is known bad has no time, so that
   * with `storedBeforeMs` it stays. `dryRun` only counts.
   */
  invalidateCache(selection: CacheSelection, options?: { readonly dryRun: boolean }): Promise<{ entries: number; knownBad: number }>;
  /** In the order of their keys; `after` is the last key seen, '' for the start. */
  cacheEntries(page: { readonly after: string; readonly limit: number }): Promise<readonly CacheEntry[]>;
  /**
   * Merges: of two entries of one key the later stored one stays, of two stored at the same time the one with the greater
   * `callToken`, so that the order of imports does not matter; what was stored in the future counts as stored now. Queued twins become
   * hits. Nothing that is stored here is changed: an entry of a call that is known here with another answer is left out. An imported
   * answer is no run's own, whatever run it names as its origin.
   */
  importCache(entries: readonly CacheEntry[]): Promise<Imported>;
}
