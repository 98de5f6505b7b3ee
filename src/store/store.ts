import type { Json } from '../domain/canonical-json.ts';
import type { Completion } from '../domain/completion.ts';
import type { CanonicalText } from '../domain/document.ts';
import type { CacheStore } from './cache-store.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from './key-facts.ts';
import type { LogPage, LogRow } from './log-rows.ts';
import type { Maintenance } from './maintenance.ts';
import type { NewJob, NewRun, NewWorker, RetryHow, RetrySelection, RunDocument, UnknownCost } from './plan-rows.ts';
import type {
  GroupMonth,
  JobRecord,
  JobRow,
  OldestWork,
  OpenCalls,
  OpenedRun,
  OutputMean,
  RetryOutlook,
  RunRow,
  RunTotals,
  StoredExtraction,
  UnreadableRun,
  WorkerRow,
} from './rows.ts';
import type { ClaimReply, ClaimRequest, Settled, StepOutcome } from './work.ts';

/**
 * Durable work: one verb per change of state. Every promise resolves after the change is durable. Times are milliseconds since
 * 1970 read from the store's own clock inside the transaction; nothing here trusts a caller's clock. Verbs that carry a lease
 * token write nothing and say so when the lease was lost.
 */
export interface Store extends CacheStore, Maintenance {
  /** Whether machines that share no files work on it: a run's folder may then be another's. */
  readonly spansMachines: boolean;

  // ── Runs ──
  /**
   * Creates the run, or joins the one unfinished run of the same identity and gives it the new settings. Throws `UserError` (E48, exit 7)
   * when with the `plannedJobs` of a new one more would wait or run in the store than the manifest's `maxQueueDepth`.
   */
  openRun(run: NewRun): Promise<OpenedRun>;
  /** Stores texts (once per hash) and the run's documents. Idempotent. */
  addDocuments(runId: string, documents: readonly RunDocument[]): Promise<void>;
  /** Inserts jobs with their steps; ones already there are left alone, so that a broken plan can be taken up. */
  addJobs(runId: string, jobs: readonly NewJob[]): Promise<void>;
  /** All rows are in: `planning` → `open`. */
  markPlanned(runId: string): Promise<void>;
  /** Those that this version can read, newest first. */
  listRuns(): Promise<readonly RunRow[]>;
  /** With those that it cannot: another version wrote them, or somebody else. Nothing works on them. Newest first. */
  allRuns(): Promise<readonly (RunRow | UnreadableRun)[]>;
  /** `null` when nothing is found. Throws `UserError` (E22, exit 8) for one that this version cannot read. */
  getRun(runId: string): Promise<RunRow | null>;
  /**
   * Queued and waiting work ends at once; running steps finish and are kept. What is paid and not judged, or judged and not
   * finished, stays claimable: open jobs in a cancelled run's totals. With `now` running calls are to be ended, wherever they run.
   * Idempotent: `changed` is false the second time, when only leases that ran out meanwhile are taken back. `cancelled` counts the jobs
   * that ended; one that was asked afresh gets its old result back, and a run of which nothing is missing then is finished.
   */
  cancelRun(runId: string, options?: { readonly now: boolean }): Promise<{ changed: boolean; cancelled: number }>;
  /**
   * The same for some jobs of an unfinished run: what is queued or waiting of them ends at once; what runs finishes and is kept, or
   * is ended with `now`. A job that was asked afresh gets its old result back. Counts the jobs that ended, and those that still run;
   * `changed` is false when none ended and none was asked to end that was not before.
   */
  cancelJobs(
    runId: string,
    jobIds: readonly string[],
    options: { readonly now: boolean },
  ): Promise<{ changed: boolean; cancelled: number; running: number }>;
  /** `planning` or `open` → `paused`: nothing more is claimed; what runs finishes. */
  pauseRun(runId: string): Promise<{ changed: boolean }>;
  /** `paused` → `planning` or `open`; its providers may be asked again, also those that asked to wait. */
  resumeRun(runId: string): Promise<{ changed: boolean }>;
  /**
   * `open` → `finished` when every job is terminal and planned, `cancelled` → `finished` when besides none of them is cancelled; true
   * for the one caller that did it.
   */
  finishRun(runId: string): Promise<boolean>;
  /**
   * Requeues jobs with fresh attempts, their history kept, and reopens the run. Of the DLQ: all failed jobs of the run that share one
   * of their keys too; what is known bad is forgotten. Of `failed`: only an answer that comes later counts, and the old result stays
   * until it is there. Throws `UserError` (E48, exit 7) when more jobs would wait or run than `maxQueueDepth`.
   */
  retryJobs(runId: string, selection: RetrySelection, how?: RetryHow): Promise<{ requeued: number }>;
  /** What that would do, and changes nothing. */
  retryOutlook(runId: string, selection: RetrySelection): Promise<RetryOutlook>;

  // ── Work ──
  registerWorker(worker: NewWorker): Promise<void>;
  /** Gives back all that the worker holds unsent and forgets it. */
  removeWorker(workerId: string): Promise<void>;
  /**
   * Takes one piece of work with all that it needs, or nothing. Of the lanes whose first step may start it is that of which the worker
   * runs the fewest, then that whose step is the oldest; within a lane the oldest comes first.
   */
  claim(request: ClaimRequest): Promise<ClaimReply>;
  /** A commit of its own, before the request leaves: the call is `sent` and the attempt counts. False: the lease is lost, do not send. */
  markSent(token: string): Promise<boolean>;
  /** Whether the token's lease still stands, run out or not. */
  holdsLease(token: string): Promise<boolean>;
  /** The first piece of the answer is here: steps that wait for the same prompt's beginning may go. Not fenced; a hint. */
  noteFirstToken(token: string): Promise<void>;
  /** Not fenced: what was paid for is kept, whoever asks. The first thing done with an answer. */
  recordResponse(token: string, completion: Completion): Promise<void>;
  settle(token: string, outcome: StepOutcome): Promise<Settled>;
  /** Tokens of the worker's leases whose calls a person wants ended now. */
  leasesToEnd(workerId: string): Promise<readonly string[]>;
  /**
   * Settles the run's unknown calls by an estimate; a true outcome that comes later replaces it. `atWorst`: those of `calls` that were
   * to be booked as `expected` and cost the most they can, because no call of their model has a price. `unpriced`: left as they are.
   */
  settleUnknown(runId: string, at: UnknownCost): Promise<{ calls: number; nanoUsd: number; atWorst: number; unpriced: number }>;
  /** What groups of runs spent, by group and month; newest month first. */
  budgetGroups(): Promise<readonly GroupMonth[]>;
  /** What a group spent so far counts no more; what is in flight or uncertain still does. False: no run ever named it. */
  resetBudgetGroup(group: string): Promise<boolean>;
  /** Steps that may run at once over all runs and processes; `null`: no bound. */
  maxRunning(): Promise<number | null>;
  setMaxRunning(value: number | null): Promise<void>;

  // ── Reading ──
  /** What it waits for is that of everybody; with `asker`, of a worker alone that has these tags, whoever else lives. */
  runTotals(runId: string, asker?: readonly string[]): Promise<RunTotals>;
  /** How long answers were and took so far, in all runs: what `plan` expects of the next ones. */
  outputMeans(): Promise<readonly OutputMean[]>;
  /** In plan order; `after` is the last `seq` seen, -1 for the start. */
  jobRows(runId: string, page: { after: number; limit: number; onlyFailed?: boolean }): Promise<readonly JobRow[]>;
  /** What happened in the run, oldest first: tries that were not answered or not kept, and ends of jobs. */
  logRows(runId: string, page: LogPage): Promise<readonly LogRow[]>;
  /** Everything about one job; `null` when the run has none of that id. */
  jobRecord(runId: string, jobId: string): Promise<JobRecord | null>;
  /** The same of several jobs at once: those of the ids that the run has, in plan order. */
  jobRecords(runId: string, jobIds: readonly string[]): Promise<readonly JobRecord[]>;
  /** What is queued and needs a call, and the reduces that will follow, by model as the manifest names it: for what it may cost yet. */
  openCalls(runId: string): Promise<readonly OpenCalls[]>;
  /** How long work of the run waits and runs. */
  oldestWork(runId: string): Promise<OldestWork>;
  documents(runId: string): Promise<readonly RunDocument[]>;
  /** The text that the run evaluates, with the positions of this document's own extraction; `null` when it has none. */
  canonicalText(runId: string, documentId: string): Promise<CanonicalText | null>;
  /** What a run stored under this key of bytes and way of reading; `null` when nothing, or its text is gone. */
  extraction(key: string): Promise<StoredExtraction | null>;
  response(callToken: string): Promise<Completion | null>;
  workers(): Promise<readonly WorkerRow[]>;
  /** Those of the keys that have an answer that a run of these settings would be served. */
  cachedKeys(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null): Promise<ReadonlySet<string>>;
  /** The answers to those of them, by key. */
  cachedAnswers(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null): Promise<ReadonlyMap<string, Json>>;
  /** Those of the keys that a `read-write` or `read` run would not ask again, because their answer is known to be bad. */
  knownBadKeys(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** What is stored of each of the keys, whatever its age. */
  keyFacts(keys: readonly string[]): Promise<ReadonlyMap<string, KeyFact>>;
  /**
   * Questions whose answer is stored: of the same document and task, as the newest runs named them, newest first; where there are none,
   * of the same prompt.
   */
  relatedAnswers(question: RelatedQuestion): Promise<readonly RelatedAnswer[]>;

  // ── Projections ──
  /** The right to write the run's own files, for one writer at a time; `null`: another process holds it. It ends with its process. */
  lockFiles(runId: string): Promise<FilesLock | null>;
  /** Ended jobs whose artifacts are not written yet, in plan order. */
  jobsWithoutArtifacts(runId: string, limit: number): Promise<readonly JobRow[]>;
  /** The files of these rows, as they were read, are written below `outDir`. A job that has changed, or a run that has moved, since is left unmarked. */
  markArtifacts(
    runId: string,
    outDir: string,
    rows: readonly { readonly jobId: string; readonly endedAtMs: number | null }[],
  ): Promise<void>;
  /** All files of the run count as unwritten: their folder is gone or another. */
  clearArtifacts(runId: string): Promise<void>;
  /** Runs that are `finished` or `cancelled` with a summary, or files of an ended job, that are not written or not true any more. */
  runsWithoutSummary(): Promise<readonly RunRow[]>;
  /** The summary of the run, as it was read at `revision`, is written. False: something changed meanwhile, write it again. */
  markSummary(runId: string, revision: number): Promise<boolean>;

  /**
   * Somebody wants to leave. `soon`: nothing waits any more for a server that is away. `now`: nor for another process, for longer than a
   * second.
   */
  hurry(how: 'soon' | 'now'): void;
  /**
   * Calls `onWork` when somebody may have brought work, until what is returned is called. It is a hint of stores that can give one: a change
   * may come without it, and it without a change, so that work is looked for from time to time all the same.
   */
  watchWork(onWork: () => void): () => void;
  close(): Promise<void>;
}

export type FilesLock = {
  release(): Promise<void>;
  /** Releases it for good: the run is gone, and so is its lock. */
  discard(): Promise<void>;
};
