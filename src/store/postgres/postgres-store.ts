import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import type { CanonicalText } from '../../domain/document.ts';
import type { CacheEntry, CacheSelection, CacheStats, Imported } from '../cache-store.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from '../key-facts.ts';
import type { LogPage, LogRow } from '../log-rows.ts';
import type { Compaction, Gone, Inspection, Pruned, PruneOutlook } from '../maintenance.ts';
import type { NewJob, NewRun, NewWorker, RetryHow, RetrySelection, RunDocument, UnknownCost } from '../plan-rows.ts';
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
} from '../rows.ts';
import type { FilesLock, Store } from '../store.ts';
import type { ClaimReply, ClaimRequest, Settled, StepOutcome } from '../work.ts';
import { Claims } from './claims.ts';
import type { HintListener } from './hint-listener.ts';
import { groupLocks, identityLocks, NO_LOCKS, runLocks, tokenLocks } from './locks.ts';
import { budgetGroups, resetBudgetGroup } from './runs/budget.ts';
import { type CancelHow, type CancelledJobs, type CancelledRun, cancelJobs, cancelRun, finishWhole, leasesToEnd } from './runs/cancel.ts';
import { jobRecords } from './runs/job-record.ts';
import { jobRows, jobsWithoutArtifacts } from './runs/job-rows.ts';
import { keyFacts, relatedAnswers } from './runs/key-facts.ts';
import { logRows } from './runs/log-rows.ts';
import { maxRunning, setMaxRunning } from './runs/max-running.ts';
import { oldestWork } from './runs/oldest-work.ts';
import { openCalls } from './runs/open-calls.ts';
import { outputMeans } from './runs/output-means.ts';
import { pauseRun, resumeRun } from './runs/pause.ts';
import { addDocuments, addJobs } from './runs/plan.ts';
import { clearArtifacts, markArtifacts, markSummary, type WrittenJob } from './runs/projections.ts';
import { cachedAnswers, cachedKeys, canonicalText, documents, extraction, knownBadKeys, response } from './runs/read.ts';
import { retryJobs, retryOutlook } from './runs/retry-jobs.ts';
import { allRuns, finishRun, getRun, listRuns, markPlanned, openRun, runsWithoutSummary } from './runs/runs.ts';
import { runTotals } from './runs/totals.ts';
import { PaidAnswers, type SpoolOptions } from './spool/paid-answers.ts';
import { noteFirstToken } from './steps/prefixes.ts';
import { settleUnknown } from './steps/settle-unknown.ts';
import { stepOfLease } from './steps/step-row.ts';
import type { Transactor } from './transactor.ts';
import { cacheEntries, cacheStats, countSelected, invalidateCache } from './upkeep/cache.ts';
import { importCache } from './upkeep/cache-import.ts';
import { pruneOutlook } from './upkeep/prune-outlook.ts';
import { pruneRun } from './upkeep/prune-run.ts';
import { compact, pruneUnused } from './upkeep/upkeep.ts';
import { FilesLocks } from './workers/files-lock.ts';
import { seeWorkers } from './workers/seen-workers.ts';
import type { WorkerRegistry } from './workers/worker-registry.ts';

/** The store in one schema of a PostgreSQL database. Each verb is one function of one transaction; see the files that they come from. */
export class PostgresStore implements Store {
  readonly spansMachines = true;
  readonly #transactor: Transactor;
  readonly #registry: WorkerRegistry;
  readonly #claims: Claims;
  readonly #hints: HintListener;
  readonly #filesLocks: FilesLocks;
  readonly #paid: PaidAnswers;
  readonly #inspect: PostgresStore['inspect'];

  constructor(
    transactor: Transactor,
    registry: WorkerRegistry,
    { hints, spool, inspect }: { hints: HintListener; spool: SpoolOptions; inspect: PostgresStore['inspect'] },
  ) {
    this.#hints = hints;
    this.#transactor = transactor;
    this.#registry = registry;
    this.#claims = new Claims(transactor, registry);
    this.#paid = new PaidAnswers(transactor, (token) => this.#claims.runOf(token), spool);
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

  listRuns(): Promise<readonly RunRow[]> {
    return this.#transactor.read((view) => listRuns(view.sql));
  }

  allRuns(): Promise<readonly (RunRow | UnreadableRun)[]> {
    return this.#transactor.read((view) => allRuns(view.sql));
  }

  getRun(runId: string): Promise<RunRow | null> {
    return this.#transactor.read((view) => getRun(view.sql, runId));
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
  }

  claim(request: ClaimRequest): Promise<ClaimReply> {
    return this.#claims.claim(request);
  }

  markSent(token: string): Promise<boolean> {
    return this.#claims.markSent(token);
  }

  holdsLease(token: string): Promise<boolean> {
    return this.#transactor.read((view) => stepOfLease(view.sql, token).then((step) => step !== undefined));
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

  leasesToEnd(workerId: string): Promise<readonly string[]> {
    return this.#transactor.read((view) => leasesToEnd(view.sql, workerId));
  }

  settleUnknown(runId: string, at: UnknownCost): Promise<{ calls: number; nanoUsd: number; atWorst: number; unpriced: number }> {
    return this.#transactor.write(runLocks(runId), (tx) => settleUnknown(tx, runId, at));
  }

  budgetGroups(): Promise<readonly GroupMonth[]> {
    return this.#transactor.read((view) => budgetGroups(view.sql));
  }

  resetBudgetGroup(group: string): Promise<boolean> {
    return this.#transactor.write(groupLocks(group), (tx) => resetBudgetGroup(tx, group));
  }

  maxRunning(): Promise<number | null> {
    return this.#transactor.read((view) => maxRunning(view.sql));
  }

  setMaxRunning(value: number | null): Promise<void> {
    return this.#transactor.write(NO_LOCKS, (tx) => setMaxRunning(tx, value));
  }

  // ── Reading ──
  runTotals(runId: string): Promise<RunTotals> {
    return this.#transactor.read((view) => runTotals(view, runId));
  }

  outputMeans(): Promise<readonly OutputMean[]> {
    return this.#transactor.read((view) => outputMeans(view.sql));
  }

  jobRows(runId: string, page: { after: number; limit: number; onlyFailed?: boolean }): Promise<readonly JobRow[]> {
    return this.#transactor.read((view) => jobRows(view.sql, runId, page));
  }

  logRows(runId: string, page: LogPage): Promise<readonly LogRow[]> {
    return this.#transactor.read((view) => logRows(view.sql, runId, page));
  }

  jobRecord(runId: string, jobId: string): Promise<JobRecord | null> {
    return this.jobRecords(runId, [jobId]).then(([record]) => record ?? null);
  }

  jobRecords(runId: string, jobIds: readonly string[]): Promise<readonly JobRecord[]> {
    return this.#transactor.read((view) => jobRecords(view.sql, runId, jobIds));
  }

  openCalls(runId: string): Promise<readonly OpenCalls[]> {
    return this.#transactor.read((view) => openCalls(view.sql, runId));
  }

  oldestWork(runId: string): Promise<OldestWork> {
    return this.#transactor.read((view) => oldestWork(view, runId));
  }

  documents(runId: string): Promise<readonly RunDocument[]> {
    return this.#transactor.read((view) => documents(view.sql, runId));
  }

  canonicalText(runId: string, documentId: string): Promise<CanonicalText | null> {
    return this.#transactor.read((view) => canonicalText(view.sql, runId, documentId));
  }

  extraction(key: string): Promise<StoredExtraction | null> {
    return this.#transactor.read((view) => extraction(view.sql, key));
  }

  response(callToken: string): Promise<Completion | null> {
    return this.#transactor.read((view) => response(view.sql, callToken));
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#transactor.read((view) => seeWorkers(view));
  }

  cachedKeys(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null): Promise<ReadonlySet<string>> {
    return this.#transactor.read((view) => cachedKeys(view.sql, view.nowMs, { keys, freshAfterMs, ttlMs }));
  }

  cachedAnswers(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null): Promise<ReadonlyMap<string, Json>> {
    return this.#transactor.read((view) => cachedAnswers(view.sql, view.nowMs, { keys, freshAfterMs, ttlMs }));
  }

  knownBadKeys(keys: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#transactor.read((view) => knownBadKeys(view.sql, keys));
  }

  keyFacts(keys: readonly string[]): Promise<ReadonlyMap<string, KeyFact>> {
    return this.#transactor.read((view) => keyFacts(view.sql, keys));
  }

  relatedAnswers(question: RelatedQuestion): Promise<readonly RelatedAnswer[]> {
    return this.#transactor.read((view) => relatedAnswers(view.sql, question));
  }

  // ── Projections ──
  lockFiles(runId: string): Promise<FilesLock | null> {
    return this.#filesLocks.take(runId);
  }

  jobsWithoutArtifacts(runId: string, limit: number): Promise<readonly JobRow[]> {
    return this.#transactor.read((view) => jobsWithoutArtifacts(view.sql, runId, limit));
  }

  markArtifacts(runId: string, outDir: string, rows: readonly WrittenJob[]): Promise<void> {
    return this.#transactor.write(runLocks(runId), (tx) => markArtifacts(tx, runId, outDir, rows));
  }

  clearArtifacts(runId: string): Promise<void> {
    return this.#transactor.write(runLocks(runId), (tx) => clearArtifacts(tx, runId));
  }

  runsWithoutSummary(): Promise<readonly RunRow[]> {
    return this.#transactor.read((view) => runsWithoutSummary(view.sql));
  }

  markSummary(runId: string, revision: number): Promise<boolean> {
    return this.#transactor.write(runLocks(runId), (tx) => markSummary(tx, runId, revision));
  }

  // ── Cache ──
  cacheStats(): Promise<CacheStats> {
    return this.#transactor.read((view) => cacheStats(view.sql));
  }

  invalidateCache(selection: CacheSelection, options?: { readonly dryRun: boolean }): Promise<{ entries: number; knownBad: number }> {
    if (options?.dryRun === true) return this.#transactor.read((view) => countSelected(view, selection));
    return invalidateCache(this.#transactor, selection);
  }

  cacheEntries(page: { readonly after: string; readonly limit: number }): Promise<readonly CacheEntry[]> {
    return this.#transactor.read((view) => cacheEntries(view.sql, page));
  }

  importCache(entries: readonly CacheEntry[]): Promise<Imported> {
    return importCache(this.#transactor, entries);
  }

  // ── Maintenance ──
  pruneRun(runId: string): Promise<Pruned> {
    return pruneRun(this.#transactor, runId);
  }

  pruneOutlook(runId: string): Promise<PruneOutlook | null> {
    return this.#transactor.read((view) => pruneOutlook(view.sql, runId));
  }

  pruneUnused(options: {
    readonly dryRun: boolean;
    readonly ifGone?: Gone;
  }): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
    return pruneUnused(this.#transactor, options);
  }

  compact(): Promise<Compaction> {
    return compact(this.#transactor);
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
