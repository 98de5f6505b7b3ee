import type { Json } from '../../domain/canonical-json.ts';
import type { Completion } from '../../domain/completion.ts';
import type { CanonicalText } from '../../domain/document.ts';
import type { CacheEntry, CacheSelection, CacheStats, Imported } from '../cache-store.ts';
import type { KeyFact, RelatedAnswer, RelatedQuestion } from '../key-facts.ts';
import type { LogPage, LogRow } from '../log-rows.ts';
import type { Compaction, Gone, Inspection, Pruned, PruneOutlook } from '../maintenance.ts';
import type { NewJob, NewRun, NewWorker, RetrySelection, RunDocument, UnknownCost } from '../plan-rows.ts';
import type {
  GroupMonth,
  JobRecord,
  JobRow,
  OpenCalls,
  OpenedRun,
  OutputMean,
  RunRow,
  RunTotals,
  StoredExtraction,
  WorkerRow,
} from '../rows.ts';
import type { FilesLock, Store } from '../store.ts';
import type { ClaimReply, ClaimRequest, Settled, StepOutcome } from '../work.ts';
import type { Transactor } from './transactor.ts';

/** The store in one schema of a PostgreSQL database. Each verb is one function of one transaction; see the files that they come from. */
export class PostgresStore implements Store {
  readonly #transactor: Transactor;

  constructor(transactor: Transactor) {
    this.#transactor = transactor;
  }

  // ── Runs ──
  openRun(_run: NewRun): Promise<OpenedRun> {
    return notYet('openRun');
  }

  addDocuments(_runId: string, _documents: readonly RunDocument[]): Promise<void> {
    return notYet('addDocuments');
  }

  addJobs(_runId: string, _jobs: readonly NewJob[]): Promise<void> {
    return notYet('addJobs');
  }

  markPlanned(_runId: string): Promise<void> {
    return notYet('markPlanned');
  }

  listRuns(): Promise<readonly RunRow[]> {
    return notYet('listRuns');
  }

  getRun(_runId: string): Promise<RunRow | null> {
    return notYet('getRun');
  }

  cancelRun(_runId: string, _how?: { readonly now: boolean }): Promise<{ changed: boolean }> {
    return notYet('cancelRun');
  }

  cancelJobs(
    _runId: string,
    _jobIds: readonly string[],
    _how: { readonly now: boolean },
  ): Promise<{ changed: boolean; cancelled: number; running: number }> {
    return notYet('cancelJobs');
  }

  pauseRun(_runId: string): Promise<{ changed: boolean }> {
    return notYet('pauseRun');
  }

  resumeRun(_runId: string): Promise<{ changed: boolean }> {
    return notYet('resumeRun');
  }

  finishRun(_runId: string): Promise<boolean> {
    return notYet('finishRun');
  }

  retryJobs(_runId: string, _selection: RetrySelection): Promise<{ requeued: number }> {
    return notYet('retryJobs');
  }

  // ── Work ──
  registerWorker(_worker: NewWorker): Promise<void> {
    return notYet('registerWorker');
  }

  removeWorker(_workerId: string): Promise<void> {
    return notYet('removeWorker');
  }

  claim(_request: ClaimRequest): Promise<ClaimReply> {
    return notYet('claim');
  }

  markSent(_token: string): Promise<boolean> {
    return notYet('markSent');
  }

  holdsLease(_token: string): Promise<boolean> {
    return notYet('holdsLease');
  }

  noteFirstToken(_token: string): Promise<void> {
    return notYet('noteFirstToken');
  }

  recordResponse(_token: string, _completion: Completion): Promise<void> {
    return notYet('recordResponse');
  }

  settle(_token: string, _outcome: StepOutcome): Promise<Settled> {
    return notYet('settle');
  }

  leasesToEnd(_workerId: string): Promise<readonly string[]> {
    return notYet('leasesToEnd');
  }

  settleUnknown(_runId: string, _at: UnknownCost): Promise<{ calls: number; nanoUsd: number; atWorst: number; unpriced: number }> {
    return notYet('settleUnknown');
  }

  budgetGroups(): Promise<readonly GroupMonth[]> {
    return notYet('budgetGroups');
  }

  resetBudgetGroup(_group: string): Promise<boolean> {
    return notYet('resetBudgetGroup');
  }

  maxRunning(): Promise<number | null> {
    return notYet('maxRunning');
  }

  setMaxRunning(_value: number | null): Promise<void> {
    return notYet('setMaxRunning');
  }

  // ── Reading ──
  runTotals(_runId: string): Promise<RunTotals> {
    return notYet('runTotals');
  }

  outputMeans(): Promise<readonly OutputMean[]> {
    return notYet('outputMeans');
  }

  jobRows(_runId: string, _page: { after: number; limit: number; onlyFailed?: boolean }): Promise<readonly JobRow[]> {
    return notYet('jobRows');
  }

  logRows(_runId: string, _page: LogPage): Promise<readonly LogRow[]> {
    return notYet('logRows');
  }

  jobRecord(_runId: string, _jobId: string): Promise<JobRecord | null> {
    return notYet('jobRecord');
  }

  jobRecords(_runId: string, _jobIds: readonly string[]): Promise<readonly JobRecord[]> {
    return notYet('jobRecords');
  }

  openCalls(_runId: string): Promise<readonly OpenCalls[]> {
    return notYet('openCalls');
  }

  documents(_runId: string): Promise<readonly RunDocument[]> {
    return notYet('documents');
  }

  canonicalText(_runId: string, _documentId: string): Promise<CanonicalText | null> {
    return notYet('canonicalText');
  }

  extraction(_key: string): Promise<StoredExtraction | null> {
    return notYet('extraction');
  }

  response(_callToken: string): Promise<Completion | null> {
    return notYet('response');
  }

  workers(): Promise<readonly WorkerRow[]> {
    return notYet('workers');
  }

  cachedKeys(_keys: readonly string[], _freshAfterMs: number | null, _ttlMs: number | null): Promise<ReadonlySet<string>> {
    return notYet('cachedKeys');
  }

  cachedAnswers(_keys: readonly string[], _freshAfterMs: number | null, _ttlMs: number | null): Promise<ReadonlyMap<string, Json>> {
    return notYet('cachedAnswers');
  }

  knownBadKeys(_keys: readonly string[]): Promise<ReadonlySet<string>> {
    return notYet('knownBadKeys');
  }

  keyFacts(_keys: readonly string[]): Promise<ReadonlyMap<string, KeyFact>> {
    return notYet('keyFacts');
  }

  relatedAnswers(_question: RelatedQuestion): Promise<readonly RelatedAnswer[]> {
    return notYet('relatedAnswers');
  }

  // ── Projections ──
  lockFiles(_runId: string): Promise<FilesLock | null> {
    return notYet('lockFiles');
  }

  jobsWithoutArtifacts(_runId: string, _limit: number): Promise<readonly JobRow[]> {
    return notYet('jobsWithoutArtifacts');
  }

  markArtifacts(
    _runId: string,
    _outDir: string,
    _rows: readonly { readonly jobId: string; readonly endedAtMs: number | null }[],
  ): Promise<void> {
    return notYet('markArtifacts');
  }

  clearArtifacts(_runId: string): Promise<void> {
    return notYet('clearArtifacts');
  }

  runsWithoutSummary(): Promise<readonly RunRow[]> {
    return notYet('runsWithoutSummary');
  }

  markSummary(_runId: string, _revision: number): Promise<boolean> {
    return notYet('markSummary');
  }

  // ── Cache ──
  cacheStats(): Promise<CacheStats> {
    return notYet('cacheStats');
  }

  invalidateCache(_selection: CacheSelection, _options?: { readonly dryRun: boolean }): Promise<{ entries: number; knownBad: number }> {
    return notYet('invalidateCache');
  }

  cacheEntries(_page: { readonly after: string; readonly limit: number }): Promise<readonly CacheEntry[]> {
    return notYet('cacheEntries');
  }

  importCache(_entries: readonly CacheEntry[]): Promise<Imported> {
    return notYet('importCache');
  }

  // ── Maintenance ──
  pruneRun(_runId: string): Promise<Pruned> {
    return notYet('pruneRun');
  }

  pruneOutlook(_runId: string): Promise<PruneOutlook | null> {
    return notYet('pruneOutlook');
  }

  pruneUnused(_options: {
    readonly dryRun: boolean;
    readonly ifGone?: Gone;
  }): Promise<{ readonly rows: number; readonly sizeBytes: number }> {
    return notYet('pruneUnused');
  }

  compact(): Promise<Compaction> {
    return notYet('compact');
  }

  inspect(): Promise<readonly Inspection[]> {
    return notYet('inspect');
  }

  hurry(): void {
    this.#transactor.hurry();
  }

  close(): Promise<void> {
    return this.#transactor.close();
  }
}

/** Until every verb is here nothing of it can be reached: `openStore` refuses the URL. */
async function notYet(verb: string): Promise<never> {
  throw new Error(`not yet: ${verb}`);
}
