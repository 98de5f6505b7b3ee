import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import type { CanonicalText } from '../../domain/document.ts';
import type { CacheEntry, CacheStats } from '../cache-store.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from '../key-facts.ts';
import type { LogPage, LogRow } from '../log-rows.ts';
import type { PruneOutlook } from '../maintenance.ts';
import type { RunDocument } from '../plan-rows.ts';
import type {
  GroupMonth,
  JobRecord,
  JobRow,
  OldestWork,
  OpenCalls,
  OutputMean,
  RunRow,
  RunTotals,
  StoredExtraction,
  UnreadableRun,
  WorkerRow,
} from '../rows.ts';
import { budgetGroups } from './runs/budget.ts';
import { leasesToEnd } from './runs/cancel.ts';
import { jobRecords } from './runs/job-record.ts';
import { jobRows, jobsWithoutArtifacts } from './runs/job-rows.ts';
import { keyFacts, relatedAnswers } from './runs/key-facts.ts';
import { logRows } from './runs/log-rows.ts';
import { maxRunning } from './runs/max-running.ts';
import { oldestWork } from './runs/oldest-work.ts';
import { openCalls } from './runs/open-calls.ts';
import { outputMeans } from './runs/output-means.ts';
import { cachedAnswers, cachedKeys, canonicalText, documents, extraction, knownBadKeys, response } from './runs/read.ts';
import { allRuns, getRun, listRuns, runsWithoutSummary } from './runs/runs.ts';
import { runTotals } from './runs/totals.ts';
import { stepOfLease } from './steps/step-row.ts';
import type { Transactor } from './transactor.ts';
import { cacheEntries, cacheStats } from './upkeep/cache.ts';
import { pruneOutlook } from './upkeep/prune-outlook.ts';
import { seeWorkers, type Watcher } from './workers/seen-workers.ts';

/** What is only read of the store: each verb on one snapshot; see the files that they come from. */
export class PostgresReader {
  readonly #transactor: Transactor;
  readonly #watcher: Watcher;

  constructor(transactor: Transactor, watcher: Watcher) {
    this.#transactor = transactor;
    this.#watcher = watcher;
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

  holdsLease(token: string): Promise<boolean> {
    return this.#transactor.read((view) => stepOfLease(view.sql, token).then((step) => step !== undefined));
  }

  leasesToEnd(workerId: string): Promise<readonly string[]> {
    return this.#transactor.read((view) => leasesToEnd(view.sql, workerId));
  }

  budgetGroups(): Promise<readonly GroupMonth[]> {
    return this.#transactor.read((view) => budgetGroups(view.sql));
  }

  maxRunning(): Promise<number | null> {
    return this.#transactor.read((view) => maxRunning(view.sql));
  }

  runTotals(runId: string, asker?: readonly string[]): Promise<RunTotals> {
    return this.#transactor.read((view) => runTotals(view, runId, asker));
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
    return this.#transactor.read((view) => seeWorkers(view, this.#watcher));
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

  jobsWithoutArtifacts(runId: string, limit: number): Promise<readonly JobRow[]> {
    return this.#transactor.read((view) => jobsWithoutArtifacts(view.sql, runId, limit));
  }

  runsWithoutSummary(): Promise<readonly RunRow[]> {
    return this.#transactor.read((view) => runsWithoutSummary(view.sql));
  }

  cacheStats(): Promise<CacheStats> {
    return this.#transactor.read((view) => cacheStats(view.sql));
  }

  cacheEntries(page: { readonly after: string; readonly limit: number }): Promise<readonly CacheEntry[]> {
    return this.#transactor.read((view) => cacheEntries(view.sql, page));
  }

  pruneOutlook(runId: string): Promise<PruneOutlook | null> {
    return this.#transactor.read((view) => pruneOutlook(view.sql, runId));
  }
}
