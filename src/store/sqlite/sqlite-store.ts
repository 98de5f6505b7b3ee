import type { Completion } from '../../domain/completion.ts';
import type { CacheEntry, CacheSelection } from '../cache-store.ts';
import type { RelatedQuestion } from '../key-facts.ts';
import type { LogPage } from '../log-rows.ts';
import type { Compaction, Gone, Inspection } from '../maintenance.ts';
import type { NewJob, NewRun, NewWorker, RetryHow, RetrySelection, RunDocument, UnknownCost } from '../plan-rows.ts';
import { Spool } from '../spool/spool.ts';
import type { SpoolRecord } from '../spool/spool-file.ts';
import { type Intake, type OnSpool, type SpoolPlaces, takeInLeftSpools } from '../spool/spool-intake.ts';
import type { FilesLock, Store } from '../store.ts';
import type { ClaimReply, ClaimRequest, StepOutcome } from '../work.ts';
import { budgetGroups, resetBudgetGroup } from './runs/budget.ts';
import { type CancelHow, cancelJobs, cancelRun, finishWhole, leasesToEnd } from './runs/cancel.ts';
import { extraction } from './runs/extractions.ts';
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
import { cachedAnswers, cachedKeys, canonicalText, documents, knownBadKeys, response } from './runs/read.ts';
import { retryJobs, retryOutlook } from './runs/retry-jobs.ts';
import { allRuns, finishRun, getRun, listRuns, markPlanned, openRun, runsWithoutSummary } from './runs/runs.ts';
import { runTotals } from './runs/totals.ts';
import { isStorageFailure } from './sqlite-errors.ts';
import { claim } from './steps/claim.ts';
import { noteFirstToken } from './steps/prefixes.ts';
import { recordResponse } from './steps/responses.ts';
import { markSent, settle } from './steps/settle.ts';
import { settleUnknown } from './steps/settle-unknown.ts';
import { recordSpooled } from './steps/spooled.ts';
import { stepOfLease } from './steps/step-row.ts';
import type { Transactor } from './transactor.ts';
import { cacheEntries, cacheStats, countSelected, invalidateCache } from './upkeep/cache.ts';
import { importCache } from './upkeep/cache-import.ts';
import { pruneOutlook } from './upkeep/prune-outlook.ts';
import type { Upkeep } from './upkeep/upkeep.ts';
import { type WorkerOptions, WorkerRegistry } from './workers/worker-registry.ts';

const OTHER_PLACE = 'use a database in a folder that you may write: --db PATH';

type SpoolOptions = { readonly places: SpoolPlaces; readonly onSpool: OnSpool };

/** The store over one SQLite file. Each verb is one function of one transaction; see the files that they come from. */
export class SqliteStore implements Store {
  readonly spansMachines = false;
  readonly #transactor: Transactor;
  readonly #registry: WorkerRegistry;
  readonly #spoolOptions: SpoolOptions;
  readonly #intake: Intake;
  readonly #spool: Spool;
  readonly #inspect: SqliteStore['inspect'];
  readonly #upkeep: Upkeep;

  constructor(transactor: Transactor, workers: WorkerOptions, spool: SpoolOptions, inspect: SqliteStore['inspect'], upkeep: Upkeep) {
    this.#transactor = transactor;
    this.#registry = new WorkerRegistry(transactor, workers);
    this.#spoolOptions = spool;
    this.#inspect = inspect;
    this.#upkeep = upkeep;
    const record = ({ token, completion }: SpoolRecord) => transactor.write((tx) => recordResponse(tx, token, completion));
    this.#intake = (kept) => transactor.write((tx) => recordSpooled(tx, kept));
    this.#spool = new Spool({ record, intake: this.#intake, isStorageFailure, advice: OTHER_PLACE }, spool.places, spool.onSpool);
  }

  /** Takes in the paid answers that earlier processes could not give to the database. */
  async takeInSpools(): Promise<void> {
    const isAlive = (workerId: string) => this.#registry.liveness.isAlive(workerId);
    await takeInLeftSpools({ isAlive, intake: this.#intake, ...this.#spoolOptions });
  }

  openRun(run: NewRun) {
    return this.#transactor.write((tx) => openRun(tx, run));
  }

  addDocuments(runId: string, all: readonly RunDocument[]) {
    return addDocuments(this.#transactor, runId, all);
  }

  addJobs(runId: string, jobs: readonly NewJob[]) {
    return addJobs(this.#transactor, runId, jobs);
  }

  markPlanned(runId: string) {
    return this.#transactor.write((tx) => markPlanned(tx, runId));
  }

  listRuns() {
    return this.#transactor.read(({ sql }) => listRuns(sql));
  }

  allRuns() {
    return this.#transactor.read(({ sql }) => allRuns(sql));
  }

  getRun(runId: string) {
    return this.#transactor.read(({ sql }) => getRun(sql, runId));
  }

  cancelRun(runId: string, how: CancelHow = { now: false }) {
    return this.#transactor.write((tx) => cancelRun(tx, runId, how));
  }

  cancelJobs(runId: string, jobIds: readonly string[], how: CancelHow) {
    return this.#transactor.write((tx) => cancelJobs(tx, runId, jobIds, how));
  }

  pauseRun(runId: string) {
    return this.#transactor.write((tx) => pauseRun(tx, runId));
  }

  resumeRun(runId: string) {
    return this.#transactor.write((tx) => resumeRun(tx, runId));
  }

  finishRun(runId: string) {
    return this.#transactor.write((tx) => finishRun(tx, runId) || finishWhole(tx, runId));
  }

  retryJobs(runId: string, selection: RetrySelection, how?: RetryHow) {
    return this.#transactor.write((tx) => retryJobs(tx, runId, selection, how));
  }

  retryOutlook(runId: string, selection: RetrySelection) {
    return this.#transactor.write((tx) => retryOutlook(tx, runId, selection));
  }

  async registerWorker(worker: NewWorker): Promise<void> {
    await this.#registry.register(worker);
    try {
      this.#spool.reserve(worker.workerId);
    } catch (error) {
      // Without a place for its answers it must not pay for any.
      await this.#registry.remove(worker.workerId);
      throw error;
    }
  }

  async removeWorker(workerId: string): Promise<void> {
    await this.#spool.release(workerId);
    await this.#registry.remove(workerId);
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    await this.#registry.beforeClaim(request.workerId);
    const { reply, beatMs } = await this.#transactor.write((tx) => {
      this.#registry.keepRegistered(tx, request.workerId);
      return claim(tx, request);
    });
    if (reply.kind === 'claimed') this.#registry.expectBeats(request.workerId, beatMs);
    return reply;
  }

  async markSent(token: string): Promise<boolean> {
    this.#registry.throwIfLost();
    return this.#transactor.writeAlone((tx) => markSent(tx, token));
  }

  holdsLease(token: string) {
    return this.#transactor.read(({ sql }) => stepOfLease(sql, token) !== undefined);
  }

  noteFirstToken(token: string) {
    return this.#transactor.write((tx) => noteFirstToken(tx, token));
  }

  recordResponse(token: string, completion: Completion) {
    return this.#spool.record({ token, completion });
  }

  settle(token: string, outcome: StepOutcome) {
    return this.#transactor.write((tx) => settle(tx, token, outcome));
  }

  leasesToEnd(workerId: string) {
    return this.#transactor.read(({ sql }) => leasesToEnd(sql, workerId));
  }

  budgetGroups() {
    return this.#transactor.read(({ sql }) => budgetGroups(sql));
  }

  resetBudgetGroup(group: string) {
    return this.#transactor.write((tx) => resetBudgetGroup(tx, group));
  }

  settleUnknown(runId: string, at: UnknownCost) {
    return this.#transactor.write((tx) => settleUnknown(tx, runId, at));
  }

  maxRunning() {
    return this.#transactor.read(({ sql }) => maxRunning(sql));
  }

  setMaxRunning(value: number | null) {
    return this.#transactor.write((tx) => setMaxRunning(tx, value));
  }

  runTotals(runId: string, asker?: readonly string[]) {
    return this.#transactor.read((view) => runTotals(view, runId, asker));
  }

  outputMeans() {
    return this.#transactor.read(({ sql }) => outputMeans(sql));
  }

  jobRows(runId: string, page: { after: number; limit: number; onlyFailed?: boolean }) {
    return this.#transactor.read(({ sql }) => jobRows(sql, runId, page));
  }

  logRows(runId: string, page: LogPage) {
    return this.#transactor.read(({ sql }) => logRows(sql, runId, page));
  }

  async jobRecord(runId: string, jobId: string) {
    return (await this.jobRecords(runId, [jobId]))[0] ?? null;
  }

  jobRecords(runId: string, jobIds: readonly string[]) {
    return this.#transactor.read(({ sql }) => jobRecords(sql, runId, jobIds));
  }

  openCalls(runId: string) {
    return this.#transactor.read(({ sql }) => openCalls(sql, runId));
  }

  oldestWork(runId: string) {
    return this.#transactor.read((view) => oldestWork(view, runId));
  }

  documents(runId: string) {
    return this.#transactor.read(({ sql }) => documents(sql, runId));
  }

  canonicalText(runId: string, documentId: string) {
    return this.#transactor.read(({ sql }) => canonicalText(sql, runId, documentId));
  }

  extraction(key: string) {
    return this.#transactor.read(({ sql }) => extraction(sql, key));
  }

  response(callToken: string) {
    return this.#transactor.read(({ sql }) => response(sql, callToken));
  }

  workers() {
    return this.#registry.list();
  }

  cachedKeys(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null) {
    return this.#transactor.read(({ sql, nowMs }) => cachedKeys(sql, nowMs, { keys, freshAfterMs, ttlMs }));
  }

  cachedAnswers(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null) {
    return this.#transactor.read(({ sql, nowMs }) => cachedAnswers(sql, nowMs, { keys, freshAfterMs, ttlMs }));
  }

  knownBadKeys(keys: readonly string[]) {
    return this.#transactor.read(({ sql }) => knownBadKeys(sql, keys));
  }

  keyFacts(keys: readonly string[]) {
    return this.#transactor.read(({ sql }) => keyFacts(sql, keys));
  }

  relatedAnswers(question: RelatedQuestion) {
    return this.#transactor.read(({ sql }) => relatedAnswers(sql, question));
  }

  async lockFiles(runId: string): Promise<FilesLock | null> {
    return this.#registry.lockFiles(runId);
  }

  jobsWithoutArtifacts(runId: string, limit: number) {
    return this.#transactor.read(({ sql }) => jobsWithoutArtifacts(sql, runId, limit));
  }

  markArtifacts(runId: string, outDir: string, rows: readonly WrittenJob[]) {
    return this.#transactor.write((tx) => markArtifacts(tx, runId, outDir, rows));
  }

  clearArtifacts(runId: string) {
    return this.#transactor.write((tx) => clearArtifacts(tx, runId));
  }

  runsWithoutSummary() {
    return this.#transactor.read(({ sql }) => runsWithoutSummary(sql));
  }

  markSummary(runId: string, revision: number) {
    return this.#transactor.write((tx) => markSummary(tx, runId, revision));
  }

  inspect(): Promise<readonly Inspection[]> {
    return this.#inspect();
  }

  cacheStats() {
    return this.#transactor.read(({ sql }) => cacheStats(sql));
  }

  async invalidateCache(selection: CacheSelection, options?: { readonly dryRun: boolean }) {
    if (options?.dryRun === true) return this.#transactor.read((view) => countSelected(view, selection));
    return invalidateCache(this.#transactor, selection);
  }

  cacheEntries(page: { readonly after: string; readonly limit: number }) {
    return this.#transactor.read(({ sql }) => cacheEntries(sql, page));
  }

  importCache(entries: readonly CacheEntry[]) {
    return importCache(this.#transactor, entries);
  }

  pruneRun(runId: string) {
    return this.#upkeep.pruneRun(runId);
  }

  pruneOutlook(runId: string) {
    return this.#transactor.read(({ sql }) => pruneOutlook(sql, runId));
  }

  pruneUnused(options: { readonly dryRun: boolean; readonly ifGone?: Gone }) {
    return this.#upkeep.pruneUnused(options);
  }

  async compact(): Promise<Compaction> {
    const alive = (await this.workers()).some((worker) => worker.alive);
    return alive ? 'busy' : this.#upkeep.compact();
  }

  /** Nobody tells: a file has no way to. */
  watchWork(): () => void {
    return () => undefined;
  }

  hurry(how: 'soon' | 'now'): void {
    if (how === 'now') this.#transactor.hurry();
  }

  async close(): Promise<void> {
    await this.#registry.stopHeartbeats();
    await this.#spool.close();
    await this.#transactor.close();
    this.#registry.releaseLocks();
  }
}
