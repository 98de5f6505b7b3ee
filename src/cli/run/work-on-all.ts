import { UserError } from '../../domain/errors.ts';
import { asWorker } from '../../engine/as-worker.ts';
import { areFilesHere } from '../../engine/files-here.ts';
import { idlePauseMs } from '../../engine/idle-pause.ts';
import { preflight } from '../../engine/preflight.ts';
import { writeJobArtifacts } from '../../engine/projections.ts';
import { createProviderSet, type ProviderSet } from '../../engine/provider-set.ts';
import { handlerOf } from '../../engine/run-work.ts';
import { type ReadyRun, RunRotation } from '../../engine/work-all.ts';
import { type WorkEnd, workUntilDone } from '../../engine/work-loop.ts';
import type { NewWorker } from '../../store/plan-rows.ts';
import type { RunRow, Waiting } from '../../store/rows.ts';
import { unreadableError, unreadableText } from '../../store/stored-run.ts';
import type { Claim } from '../../store/work.ts';
import type { WorkerOptions } from '../commands/options.ts';
import { thisWorker } from '../context.ts';
import { bareProblem, bareTotals, mayShowWords, underPrivacy } from '../display/bare.ts';
import { BudgetWatch } from '../display/budget-text.ts';
import type { Display } from '../display/display.ts';
import type { RunNumbers } from '../display/progress.ts';
import { EXIT, worst } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { type PlanProgress, planProgress } from '../jobs/plan-progress.ts';
import { asTyped } from '../lead.ts';
import { withNextStep } from '../status/next-step.ts';
import { packageVersion } from '../version.ts';
import { conclude } from './conclude.ts';
import { FilesGuard } from './files-guard.ts';
import { type LeftRun, leftRuns } from './left-runs.ts';
import { makeProvider, trustInStore } from './providers.ts';
import { probeRunFolder } from './run-folder.ts';
import { runHere } from './run-here.ts';
import { workerLine } from './run-line.ts';
import { listenForStop, type Stop, underStop } from './stop.ts';
import { withTotals } from './with-totals.ts';
import { type WorkTools, waitingProviders } from './work-on.ts';
import { workerAgain } from './worker-again.ts';
import { tellWorkerEnd } from './worker-words.ts';

/** Works on every unfinished run of the store, oldest first, until it is stopped or, if so wished, idle. Returns the exit code. */
export async function workOnAll(io: CliIo, globals: Globals, tools: WorkTools, options: WorkerOptions): Promise<number> {
  const shift = new Shift(io, tools, options);
  try {
    const { exitCode, left } = await shift.work();
    tellWorkerEnd(io, globals, { exitCode, runs: shift.runIds, left }, 'No run has open work.');
    return exitCode;
  } finally {
    await shift.close();
  }
}

/** This process at work on all runs: what it needs for each of them, and what it has met. */
class Shift {
  readonly #io: CliIo;
  readonly #tools: WorkTools;
  readonly #options: WorkerOptions;
  readonly #worker: NewWorker;
  readonly #stop: Stop;
  readonly #inFlight = { count: 0 };
  readonly #providers = new Map<string, ProviderSet>();
  readonly #budgets = new Map<string, BudgetWatch>();
  readonly #begunAtMs = new Map<string, number>();
  /** Runs that are open here, by what tells that this process works on them. */
  readonly #opened = new Map<string, () => void>();
  /** Runs that it works on, from their first claim to their end. */
  readonly #joined = new Map<string, RunRow>();
  /** Runs that could not be worked on here, with what was missing. */
  readonly #refused = new Map<string, UserError>();
  readonly #ended = new Set<string>();
  /** Commands of workers that some run needs and this one is not. */
  readonly #toldWorkers = new Set<string>();
  readonly #files = new FilesGuard((message) => this.#warn(message));
  readonly #rotation: RunRotation;

  constructor(io: CliIo, tools: WorkTools, options: WorkerOptions) {
    this.#io = io;
    this.#tools = tools;
    this.#options = options;
    this.#worker = thisWorker(io, null, options.tags ?? []);
    this.#stop = listenForStop(io, () => this.#inFlight.count, tools.display.onEvent);
    this.#rotation = new RunRotation({
      store: tools.store,
      workerId: this.#worker.workerId,
      tags: options.tags ?? [],
      now: io.now,
      exitWhenIdle: options.exitWhenIdle === true,
      // A file is cheap to look at; a server has many to answer.
      ...(tools.store.spansMachines ? { idlePauseMs: (looks: number) => idlePauseMs(looks, Math.random()) } : {}),
      open: (run) => this.#open(run),
      // One that leaves when idle says the same then, of all runs.
      ...(options.exitWhenIdle === true ? {} : { onBlocked: (run: RunRow, waiting: readonly Waiting[]) => this.#tellNeeds(run, waiting) }),
      onUnreadable: (run) => this.#leave(run.runId, unreadableError(run), unreadableText(run)),
      onEnd: (run, end) => this.#conclude(run, end),
    });
  }

  /** The runs that it had a part in. */
  get runIds(): readonly string[] {
    return [...this.#ended];
  }

  /** The verdicts of the runs are their own matter: what counts for the exit code is work that this process could not do. */
  async work(): Promise<{ readonly exitCode: number; readonly left: readonly LeftRun[] }> {
    await underStop(this.#stop, { store: this.#tools.store, goOn: workerAgain(this.#options) }, async () => {
      const end = await this.#claims();
      for (const left of this.#rotation.left) await this.#conclude(left.run, left.end ?? end);
    });
    const stopped = this.#stop.exitCode();
    const left = stopped === null ? await this.#left() : [];
    const codes = [stopped ?? EXIT.pass, ...left.map(({ exitCode }) => exitCode), this.#files.exitCode];
    return { exitCode: worst(codes), left };
  }

  async #left(): Promise<readonly LeftRun[]> {
    const { store } = this.#tools;
    const runs = await store.allRuns();
    const unplanned = new Map<string, PlanProgress>();
    for (const run of this.#rotation.unplanned) {
      const plan = planProgress(run, await store.runTotals(run.runId));
      if (plan !== null) unplanned.set(run.runId, plan);
    }
    return leftRuns(runs, {
      refused: this.#refused,
      again: workerAgain(this.#options),
      blocked: this.#rotation.blocked,
      unplanned,
      shared: store.spansMachines,
      cwd: this.#io.cwd,
    });
  }

  async close(): Promise<void> {
    this.#stop.close();
    for (const providers of this.#providers.values()) await providers.close();
  }

  async #claims(): Promise<WorkEnd> {
    const { store, display } = this.#tools;
    const loop = {
      claim: () => this.#rotation.claim(),
      // Each run has a bound of its own, which the rotation keeps.
      concurrency: Number.POSITIVE_INFINITY,
      stop: this.#stop.signals.stop,
      now: this.#io.now,
      // The rotation judges that, run by run.
      maxWaitMs: Number.POSITIVE_INFINITY,
      idlePauseMs: () => this.#rotation.idlePauseMs(),
      handle: (claim: Claim) => this.#rotation.handle(claim),
      watchWork: (onWork: () => void) =>
        store.watchWork(() => {
          this.#rotation.lookAgain();
          onWork();
        }),
    };
    const work = async (): Promise<WorkEnd> => {
      try {
        return await workUntilDone(loop);
      } finally {
        await this.#rotation.ended();
      }
    };
    return await withTotals(
      display,
      () => this.#totals(),
      () => asWorker(store, this.#worker, work),
    );
  }

  /** What keeps one run from being worked on here is said, and keeps no other one. */
  async #open(run: RunRow): Promise<ReadyRun | null> {
    try {
      const ready = await this.#ready(run);
      this.#refused.delete(run.runId);
      return ready;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { message } = this.#showsWords(run) ? error : bareProblem(error);
      this.#leave(run.runId, error, `run ${run.runId} is left to others (${error.code}): ${message}`);
      return null;
    }
  }

  /** Said once, however often it is looked at. */
  #leave(runId: string, error: UserError, message: string): void {
    const isNew = this.#refused.get(runId)?.exitCode !== error.exitCode;
    this.#refused.set(runId, error);
    if (isNew) this.#warn(message);
  }

  #showsWords({ manifest }: RunRow): boolean {
    return mayShowWords(this.#io, this.#tools.display.streams ?? [], manifest);
  }

  #displayOf({ manifest }: RunRow): Display {
    return underPrivacy(this.#tools.display, this.#io, manifest);
  }

  async #ready(run: RunRow): Promise<ReadyRun> {
    const { store, pool } = this.#tools;
    const display = this.#displayOf(run);
    const { runId, manifest } = run;
    const providers = await this.#providersOf(run);
    probeRunFolder(store, run);
    await preflight(manifest, await waitingProviders(store, run), providers, this.#stop.signals.stop);
    const { jobs } = await store.runTotals(runId);
    this.#opened.set(runId, () => this.#join(run, jobs.total));
    const concurrency = this.#options.concurrency ?? manifest.concurrency;
    const handle = handlerOf({
      ...{ store, run, pool, providers, concurrency },
      worker: this.#worker,
      signals: this.#stop.signals,
      onEvent: withNextStep(display.onEvent, runHere(run, { store }), this.#io),
      onWork: display.onWork,
      now: this.#io.now,
      inFlight: this.#inFlight,
      project: (record) => this.#files.project(run, () => writeJobArtifacts({ store, run, version: packageVersion() }, record)),
    });
    const joinAndHandle = async (claim: Claim): Promise<void> => {
      this.#opened.get(runId)?.();
      await handle(claim);
    };
    return { concurrency, handle: joinAndHandle };
  }

  /** Told when there is work for it, once each time that the run is open. */
  #join(run: RunRow, jobs: number): void {
    const { store } = this.#tools;
    const { runId, name, outDir } = run;
    this.#opened.delete(runId);
    this.#joined.set(runId, run);
    this.#begunAtMs.set(runId, this.#io.now());
    const filesHere = areFilesHere({ store, run });
    this.#displayOf(run).onEvent({ kind: 'run.started', runId, name, joined: true, jobs, cached: null, outDir, filesHere });
  }

  /** A provider whose making failed, for want of a key, must be made anew the next time. */
  async #providersOf(run: RunRow): Promise<ProviderSet> {
    const { store, allowHosts } = this.#tools;
    const trust = trustInStore({ store, run }, allowHosts);
    await this.#providers.get(run.runId)?.close();
    const providers = createProviderSet(run.manifest, (provider) => makeProvider(this.#io, provider, trust));
    this.#providers.set(run.runId, providers);
    return providers;
  }

  async #conclude(run: RunRow, end: WorkEnd): Promise<void> {
    const { store } = this.#tools;
    const display = this.#displayOf(run);
    const nowMs = this.#io.now();
    const durationMs = nowMs - (this.#begunAtMs.get(run.runId) ?? nowMs);
    this.#ended.add(run.runId);
    this.#opened.get(run.runId)?.();
    const joined = this.#joined.get(run.runId);
    await this.#files.conclude(run, (onUnwritten) =>
      conclude({ store, run, display, stop: this.#stop, end, durationMs, nowMs, exitZero: false, isLast: false, onUnwritten }),
    );
    // Meanwhile it may have been opened again.
    if (this.#joined.get(run.runId) === joined) this.#joined.delete(run.runId);
  }

  /** Once for each run and what it needs. */
  #tellNeeds(run: RunRow, waiting: readonly Waiting[]): void {
    const needs = waiting.filter(({ why }) => why === 'tags');
    const line = workerLine(run, needs);
    if (needs.length === 0 || this.#toldWorkers.has(line)) return;
    this.#toldWorkers.add(line);
    const { lead } = this.#io.notes;
    this.#warn(`run ${run.runId} waits for a worker with the tags that this one lacks: ${asTyped(line, lead)}`);
  }

  #warn(message: string): void {
    this.#tools.display.onEvent({ kind: 'warning', message });
  }

  async #totals(): Promise<readonly RunNumbers[]> {
    return await Promise.all([...this.#joined.values()].map((run) => this.#totalsOf(run)));
  }

  async #totalsOf(run: RunRow): Promise<RunNumbers> {
    const { runId } = run;
    const totals = await this.#tools.store.runTotals(runId);
    const watch = this.#budgets.get(runId) ?? new BudgetWatch(run.settings.budget);
    this.#budgets.set(runId, watch);
    for (const message of watch.news(totals.budget)) this.#warn(`run ${runId}: ${message}`);
    return { runId, totals: this.#showsWords(run) ? totals : bareTotals(totals) };
  }
}
