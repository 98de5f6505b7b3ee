import type { Completion } from '../../domain/completion.ts';
import type { NewJob, NewRun, NewWorker, RetrySelection, RunDocument } from '../plan-rows.ts';
import type { Store } from '../store.ts';
import type { ClaimReply, ClaimRequest, StepOutcome } from '../work.ts';
import { claim } from './claim.ts';
import { DeathWatch } from './death-watch.ts';
import { Heartbeat } from './heartbeat.ts';
import { jobRecord } from './job-record.ts';
import { jobRows, jobsWithoutArtifacts } from './job-rows.ts';
import { Liveness } from './liveness.ts';
import { addDocument, addJobs } from './plan.ts';
import { clearArtifacts, markArtifacts, markSummary, type WrittenJob } from './projections.ts';
import { cachedKeys, canonicalText, documents, knownBadKeys, response } from './read.ts';
import { recordResponse } from './responses.ts';
import { retryJobs } from './retry-jobs.ts';
import { cancelRun, finishRun, getRun, listRuns, markPlanned, openRun, runsWithoutSummary } from './runs.ts';
import { markSent, settle } from './settle.ts';
import { runTotals } from './totals.ts';
import type { Transactor } from './transactor.ts';
import { keepRegistered, registerWorker, removeWorker, workers } from './workers.ts';

/** Rows that one transaction inserts at most: a longer one would hold the write lock against everyone's claims. */
const ROWS_PER_TRANSACTION = 250;

export type HeartbeatOptions = {
  readonly path: string;
  /** Compiled `heartbeat-thread`; `null` when nothing renews leases (tests with a clock of their own). */
  readonly thread: URL | null;
  readonly onLost: (error: Error) => void;
};

/** The store over one SQLite file. Each verb is one function of one transaction; see the files that they come from. */
export class SqliteStore implements Store {
  readonly #transactor: Transactor;
  readonly #heartbeat: HeartbeatOptions;
  readonly #heartbeats = new Map<string, Heartbeat>();
  readonly #registered = new Map<string, NewWorker>();
  readonly #liveness: Liveness;
  readonly #deathWatch: DeathWatch;

  constructor(transactor: Transactor, heartbeat: HeartbeatOptions) {
    this.#transactor = transactor;
    this.#heartbeat = heartbeat;
    this.#liveness = new Liveness(heartbeat.path);
    this.#deathWatch = new DeathWatch(transactor, this.#liveness);
  }

  openRun(run: NewRun) {
    return this.#transactor.write((tx) => openRun(tx, run));
  }

  async addDocuments(runId: string, all: readonly RunDocument[]): Promise<void> {
    // One text can be megabytes: a document is an operation of its own, and group commit joins the small ones.
    await Promise.all(all.map((document) => this.#transactor.write((tx) => addDocument(tx, runId, document))));
  }

  async addJobs(runId: string, jobs: readonly NewJob[]): Promise<void> {
    for (let start = 0; start < jobs.length; start += ROWS_PER_TRANSACTION) {
      const chunk = jobs.slice(start, start + ROWS_PER_TRANSACTION);
      await this.#transactor.write((tx) => addJobs(tx, runId, chunk));
    }
  }

  markPlanned(runId: string) {
    return this.#transactor.write((tx) => markPlanned(tx, runId));
  }

  listRuns() {
    return this.#transactor.read(({ sql }) => listRuns(sql));
  }

  getRun(runId: string) {
    return this.#transactor.read(({ sql }) => getRun(sql, runId));
  }

  cancelRun(runId: string) {
    return this.#transactor.write((tx) => cancelRun(tx, runId));
  }

  finishRun(runId: string) {
    return this.#transactor.write((tx) => finishRun(tx, runId));
  }

  retryJobs(runId: string, selection: RetrySelection) {
    return this.#transactor.write((tx) => retryJobs(tx, runId, selection));
  }

  async registerWorker(worker: NewWorker): Promise<void> {
    this.#liveness.hold(worker.workerId);
    await this.#transactor.write((tx) => registerWorker(tx, worker));
    this.#registered.set(worker.workerId, worker);
    const { path, thread, onLost } = this.#heartbeat;
    if (thread === null || this.#heartbeats.has(worker.workerId)) return;
    this.#heartbeats.set(worker.workerId, new Heartbeat(thread, { path, workerId: worker.workerId }, onLost));
  }

  async removeWorker(workerId: string): Promise<void> {
    await this.#transactor.write((tx) => removeWorker(tx, workerId));
    this.#liveness.release(workerId);
    this.#registered.delete(workerId);
    const heartbeat = this.#heartbeats.get(workerId);
    this.#heartbeats.delete(workerId);
    await heartbeat?.stop();
  }

  async claim(request: ClaimRequest): Promise<ClaimReply> {
    this.#heartbeats.get(request.workerId)?.throwIfLost();
    const worker = this.#registered.get(request.workerId);
    if (worker !== undefined) await this.#deathWatch.look(worker);
    const { reply, beatMs } = await this.#transactor.write((tx) => {
      if (worker !== undefined) keepRegistered(tx, worker);
      return claim(tx, request);
    });
    if (reply.kind === 'claimed') this.#heartbeats.get(request.workerId)?.expect(beatMs);
    return reply;
  }

  markSent(token: string) {
    return this.#transactor.writeAlone((tx) => markSent(tx, token));
  }

  recordResponse(token: string, completion: Completion) {
    return this.#transactor.write((tx) => recordResponse(tx, token, completion));
  }

  settle(token: string, outcome: StepOutcome) {
    return this.#transactor.write((tx) => settle(tx, token, outcome));
  }

  runTotals(runId: string) {
    return this.#transactor.read((view) => runTotals(view, runId));
  }

  jobRows(runId: string, page: { after: number; limit: number; onlyFailed?: boolean }) {
    return this.#transactor.read(({ sql }) => jobRows(sql, runId, page));
  }

  jobRecord(runId: string, jobId: string) {
    return this.#transactor.read(({ sql }) => jobRecord(sql, runId, jobId));
  }

  documents(runId: string) {
    return this.#transactor.read(({ sql }) => documents(sql, runId));
  }

  canonicalText(runId: string, documentId: string) {
    return this.#transactor.read(({ sql }) => canonicalText(sql, runId, documentId));
  }

  response(callToken: string) {
    return this.#transactor.read(({ sql }) => response(sql, callToken));
  }

  workers() {
    return this.#transactor.read(({ sql }) => workers(sql));
  }

  cachedKeys(keys: readonly string[], freshAfterMs: number | null, ttlMs: number | null) {
    return this.#transactor.read(({ sql, nowMs }) => cachedKeys(sql, nowMs, { keys, freshAfterMs, ttlMs }));
  }

  knownBadKeys(keys: readonly string[]) {
    return this.#transactor.read(({ sql }) => knownBadKeys(sql, keys));
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

  async close(): Promise<void> {
    const heartbeats = [...this.#heartbeats.values()];
    this.#heartbeats.clear();
    await Promise.all(heartbeats.map((heartbeat) => heartbeat.stop()));
    await this.#transactor.close();
    this.#liveness.close();
  }
}
