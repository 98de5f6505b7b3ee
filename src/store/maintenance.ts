/** What one look of `doctor` found. */
export type Inspection = {
  /** Stable name, for scripts. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** Commands that help. */
  readonly next: readonly string[];
};

/** What a dry run takes to be gone already. */
export type Gone = {
  readonly runIds: readonly string[];
  /** Cache entries stored before this time; `null`: none. */
  readonly cacheBeforeMs: number | null;
};

export type Pruned = { readonly jobs: number; readonly calls: number };

/** What stands in the way of pruning a run, and what goes with it. */
export type PruneOutlook = {
  /** Where its files are, if they are provably this store's: in a copy of a store a run's own folder is still the original's. */
  readonly folder: string | null;
  /** Jobs that are not ended, or of which a step still runs. */
  readonly openJobs: number;
};

/**
 * `done`: what was worth giving back is given back. `busy`: somebody works on the store. `kept`: giving it back would keep everyone
 * out for long, or the disk has no room for it; the space is used for what comes next.
 */
export type Compaction = 'done' | 'busy' | 'kept';

/** Care of the store itself. None of it is part of working on a run. */
export interface Maintenance {
  /**
   * Deletes the rows of a `finished` or `cancelled` run, in transactions of bounded length; its answers stay, for the cache and for
   * other runs, until `pruneUnused` finds that nobody needs them. From the beginning the run is gone for everyone; what a kill left of
   * it goes with the next `pruneRun` of it, or `pruneUnused`. A run that is not there is no error. Throws `UserError` (exit 7)
   * for an unfinished run, and while work of a cancelled one that is paid for is not ended.
   */
  pruneRun(runId: string): Promise<Pruned>;
  /** Reads only. `null`: there is no such run. */
  pruneOutlook(runId: string): Promise<PruneOutlook | null>;
  /**
   * What nothing refers to any more: extractions, texts, structures, key records, responses. Without `dryRun` they are deleted. `ifGone` is for a
   * dry run: it counts what would be unused then, too.
   */
  pruneUnused(options: {
    readonly dryRun: boolean;
    readonly ifGone?: Gone;
  }): Promise<{ readonly rows: number; readonly sizeBytes: number }>;
  /** Gives freed space back to the file system, where it is worth it, quickly done, and nobody else works on the store. */
  compact(): Promise<Compaction>;
  /** Health of the database and of what stands beside it. Reads only. */
  inspect(): Promise<readonly Inspection[]>;
}
