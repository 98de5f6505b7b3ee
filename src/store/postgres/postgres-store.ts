import type { Completion } from '../../domain/completion.ts';
import type { CacheEntry, CacheSelection, Imported } from '../cache-store.ts';
import type { Compaction, Gone, Inspection, Pruned } from '../maintenance.ts';
import type { NewJob, NewRun, NewWorker, RetryHow, RetrySelection, RunDocument, UnknownCost } from '../plan-rows.ts';
import type { OpenedRun, RetryOutlook } from '../rows.ts';
import type { FilesLock, Store } from '../store.ts';
import type { ClaimReply, ClaimRequest, Settled, StepOutcome } from '../work.ts';
import { Claims } from './claims.ts';
import type { HintListener } from './hint-listener.ts';
import { groupLocks, identityLocks, NO_LOCKS, runLocks, tokenLocks } from './locks.ts';
import { PostgresReader } from './postgres-reader.ts';
import { resetBudgetGroup } from './runs/budget.ts';
import { type CancelHow, type CancelledJobs, type CancelledRun, cancelJobs, cancelRun, finishWhole } from './runs/cancel.ts';
import { setMaxRunning } from './runs/max-running.ts';
import { pauseRun, resumeRun } from './runs/pause.ts';
import { addDocuments, addJobs } from './runs/plan.ts';
import { clearArtifacts, markArtifacts, markSummary, type WrittenJob } from './runs/projections.ts';
import { retryJobs, retryOutlook } from './runs/retry-jobs.ts';
import { finishRun, markPlanned, openRun } from './runs/runs.ts';
import { PaidAnswers, type SpoolOptions } from './spool/paid-answers.ts';
import { noteFirstToken } from './steps/prefixes.ts';
import { settleUnknown } from './steps/settle-unknown.ts';
import type { Transactor } from './transactor.ts';
import { countSelected, invalidateCache } from './upkeep/cache.ts';
import { importCache } from './upkeep/cache-import.ts';
import { pruneRun } from './upkeep/prune-run.ts';
import { compact, pruneUnused } from './upkeep/upkeep.ts';
import { DeathWatch, type DeathWatchOptions } from './workers/death-watch.ts';
import { FilesLocks } from './workers/files-lock.ts';
import type { Watcher } from './workers/seen-workers.ts';
import type { WorkerRegistry } from './workers/worker-registry.ts';

type StoreParts = Pick<DeathWatchOptions, 'hostId' | 'monotonic'> & {
  readonly hints: HintListener;
  readonly spool: SpoolOptions;
  readonly inspect: Store['inspect'];
};

/**
 * The store in one schema of a PostgreSQL database: the verbs that change something, each one function of one transaction; see the files that
 * they come from.
 */
export class PostgresStore extends PostgresReader implements Store {
  readonly spansMachines = true;
  readonly #transactor: Transactor;
  readonly #registry: WorkerRegistry;
  readonly #claims: Claims;
  readonly #hints: HintListener;
  readonly #filesLocks: FilesLocks;
  readonly #paid: PaidAnswers;
  readonly #watcher: Watcher;
  readonly #deaths: DeathWatch;
  readonly #inspect: PostgresStore['inspect'];

  constructor(transactor: Transactor, registry: WorkerRegistry, { hints, spool, hostId, monotonic, inspect }: StoreParts) {
    super(transactor, { locks: spool.locks, hostId });
    this.#hints = hints;
    this.#transactor = transactor;
    this.#registry = registry;
    this.#claims = new Claims(transactor, registry);
    this.#paid = new PaidAnswers(transactor, (token) => this.#claims.runOf(token), spool);
    this.#watcher = { locks: spool.locks, hostId };
    const takeIn = (workerId: string) => this.#paid.takeInOf(workerId);
    this.#deaths = new DeathWatch({ transactor, locks: spool.locks, hostId, takeIn, monotonic });
    registry.alsoLook(() => this.#deaths.look());
    this.#filesLocks = new FilesLocks(transactor);
    this.#inspect = inspect;
  }

  /** Takes in the paid answers that earlier processes of this machine could not give to the server. */
  takeInSpools(): Promise<void> {
    return this.#paid.takeInLeft();
  }

  // ── Runs ──
  openRun(run: NewRun): Promise<OpenedRun> {
    const laneIds = run.lanes.map(({ laneId }) => laneId);
    return this.#transactor.write(identityLocks(run.identity, laneIds), (tx) => openRun(tx, run));
  }

  addDocuments(runId: string, documents: readonly RunDocument[]): Promise<void> {
    return addDocuments(this.#transactor, runId, documents);
  }

  addJobs(runId: string, jobs: readonly NewJob[]): Promise<void> {
    return addJobs(this.#transactor, runId, jobs);
  }

  markPlanned(runId: string): Promise<void> {
    return this.#transactor.write(runLocks(runId), (tx) => markPlanned(tx, runId));
  }

  async cancelRun(runId: string, how: CancelHow = { now: false }): Promise<CancelledRun> {
    await this.#claims.reap(null);
    return this.#transactor.write(runLocks(runId), (tx) => cancelRun(tx, runId, how));
  }

  async cancelJobs(runId: string, jobIds: readonly string[], how: CancelHow): Promise<CancelledJobs> {
    await this.#claims.reap(null);
    return this.#transactor.write(runLocks(runId), (tx) => cancelJobs(tx, runId, jobIds, how));
  }

  pauseRun(runId: string): Promise<{ changed: boolean }> {
    return this.#transactor.write(runLocks(runId), (tx) => pauseRun(tx, runId));
  }

  resumeRun(runId: string): Promise<{ changed: boolean }> {
    return this.#transactor.write(runLocks(runId), (tx) => resumeRun(tx, runId));
  }

  finishRun(runId: string): Promise<boolean> {
    return this.#transactor.write(runLocks(runId), async (tx) => (await finishRun(tx, runId)) || finishWhole(tx, runId));
  }

  retryJobs(runId: string, selection: RetrySelection, how?: RetryHow): Promise<{ requeued: number }> {
    return this.#transactor.write(runLocks(runId), (tx) => retryJobs(tx, runId, selection, how));
  }

  retryOutlook(runId: string, selection: RetrySelection): Promise<RetryOutlook> {
    return this.#transactor.write(runLocks(runId), (tx) => retryOutlook(tx, runId, selection));
  }

  // ── Work ──
  async registerWorker(worker: NewWorker): Promise<void> {
    // Without a place for its answers it must not pay for any.
    await this.#paid.reserve(worker.workerId);
    await this.#registry.register(worker);
  }

  async removeWorker(workerId: string): Promise<void> {
    await this.#paid.release(workerId);
    await this.#registry.remove(workerId);
    await this.#watcher.locks.release(workerId);
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    await this.#deaths.look();
    return await this.#claims.claim(request);
  }

  markSent(token: string): Promise<boolean> {
    return this.#claims.markSent(token);
  }

  noteFirstToken(token: string): Promise<void> {
    return this.#transactor.write(tokenLocks(token, this.#claims.runOf(token)), (tx) => noteFirstToken(tx, token));
  }

  recordResponse(token: string, completion: Completion): Promise<void> {
    return this.#paid.record(token, completion);
  }

  settle(token: string, outcome: StepOutcome): Promise<Settled> {
    return this.#claims.settle(token, outcome);
  }

  settleUnknown(runId: string, at: UnknownCost): Promise<{ calls: number; nanoUsd: number; atWorst: number; unpriced: number }> {
    return this.#transactor.write(runLocks(runId), (tx) => settleUnknown(tx, runId, at));
  }

  resetBudgetGroup(group: string): Promise<boolean> {
    return this.#transactor.write(groupLocks(group), (tx) => resetBudgetGroup(tx, group));
  }

  setMaxRunning(value: number | null): Promise<void> {
    return this.#transactor.write(NO_LOCKS, (tx) => setMaxRunning(tx, value));
  }

  // ── Projections ──
  lockFiles(runId: string): Promise<FilesLock | null> {
    return this.#filesLocks.take(runId);
  }

  markArtifacts(runId: string, outDir: string, rows: readonly WrittenJob[]): Promise<void> {
    return this.#transactor.write(runLocks(runId), (tx) => markArtifacts(tx, runId, outDir, rows));
  }

  clearArtifacts(runId: string): Promise<void> {
    return this.#transactor.write(runLocks(runId), (tx) => clearArtifacts(tx, runId));
  }

  markSummary(runId: string, revision: number): Promise<boolean> {
    return this.#transactor.write(runLocks(runId), (tx) => markSummary(tx, runId, revision));
  }

  // ── Cache ──
  invalidateCache(selection: CacheSelection, options?: { readonly dryRun: boolean }): Promise<{ entries: number; knownBad: number }> {
    if (options?.dryRun === true) return this.#transactor.read((view) => countSelected(view, selection));
    return invalidateCache(this.#transactor, selection);
  }

  importCache(entries: readonly CacheEntry[]): Promise<Imported> {
    return importCache(this.#transactor, entries);
  }

  // ── Maintenance ──
  pruneRun(runId: string): Promise<Pruned> {
    return pruneRun(this.#transactor, runId);
  }

  pruneUnused(options: {
    readonly dryRun: boolean;
    readonly ifGone?: Gone;
  }): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
    return pruneUnused(this.#transactor, options);
  }

  compact(): Promise<Compaction> {
    return compact(this.#transactor, this.#watcher);
  }

  inspect(): Promise<readonly Inspection[]> {
    return this.#inspect();
  }

  watchWork(onWork: () => void): () => void {
    return this.#hints.watch(onWork);
  }

  hurry(how: 'soon' | 'now'): void {
    this.#transactor.hurry(how);
  }

  async close(): Promise<void> {
    await this.#registry.stopHeartbeats();
    this.#filesLocks.close();
    await this.#hints.close();
    await this.#paid.close();
    await this.#transactor.close();
  }
}
