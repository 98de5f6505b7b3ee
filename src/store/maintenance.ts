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

export type Pruned = { readonly jobs: number; readonly calls: number; readonly responses: number };

/** Care of the store itself. None of it is part of working on a run. */
export interface Maintenance {
  /**
   * Deletes the rows of a `finished` or `cancelled` run, in transactions of bounded length; answers that the cache or another run
   * still serves stay. From the beginning the run is gone for everyone; what a kill left of it goes with the next `pruneRun` of it,
   * or `pruneUnused`. A run that is not there is no error. Throws `UserError` (exit 7)
   * for an unfinished run, and while a step of a cancelled one still runs.
   */
  pruneRun(runId: string): Promise<Pruned>;
  /**
   * What nothing refers to any more: texts, structures, key records, responses. Without `dryRun` they are deleted. `ifGone` is for a
   * dry run: it counts what would be unused then, too.
   */
  pruneUnused(options: {
    readonly dryRun: boolean;
    readonly ifGone?: Gone;
  }): Promise<{ readonly rows: number; readonly sizeBytes: number }>;
  /** Gives freed space back to the file system, where it is worth it and nobody else works on the store. False: somebody does. */
  compact(): Promise<boolean>;
  /** Health of the database and of what stands beside it. Reads only. */
  inspect(): Promise<readonly Inspection[]>;
}
