import { UserError } from '../domain/errors.ts';
import { jsonLine } from '../domain/hostile-text.ts';
import { asWorker } from '../engine/as-worker.ts';
import type { Pool } from '../engine/pool.ts';
import { preflight } from '../engine/preflight.ts';
import { writeJobArtifacts } from '../engine/projections.ts';
import { createProviderSet, type ProviderSet } from '../engine/provider-set.ts';
import { handlerOf } from '../engine/run-work.ts';
import { type ReadyRun, RunRotation } from '../engine/work-all.ts';
import { type WorkEnd, workUntilDone } from '../engine/work-loop.ts';
import type { NewWorker } from '../store/plan-rows.ts';
import type { RunRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Claim } from '../store/work.ts';
import { conclude } from './conclude.ts';
import { thisWorker } from './context.ts';
import type { Display } from './display/display.ts';
import { TOTALS_EVERY_MS } from './execute.ts';
import { EXIT, worst } from './exit-codes.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { WorkerOptions } from './options.ts';
import { makeProvider } from './providers.ts';
import { probeFolder } from './state-folder.ts';
import { listenForStop, type Stop } from './stop.ts';
import { sumTotals } from './sum-totals.ts';
import { packageVersion } from './version.ts';
import { waitingProviders } from './work-on.ts';

type Tools = { readonly store: Store; readonly display: Display; readonly pool: Pool; readonly allowHosts: readonly string[] };

/** Works on every unfinished run of the store, oldest first, until it is stopped or, if so wished, idle. Returns the exit code. */
export async function workOnAll(io: CliIo, globals: Globals, tools: Tools, options: WorkerOptions): Promise<number> {
  const shift = new Shift(io, tools, options);
  const talks = !globals.json && !globals.quiet;
  if (talks && options.exitWhenIdle !== true) io.stderr.write('Working on every unfinished run, also on later ones. Ctrl-C ends it.\n');
  try {
    const exitCode = await shift.work();
    const { runIds } = shift;
    if (globals.json) io.stdout.write(`${jsonLine({ v: 1, event: 'worker.finished', exitCode, runs: runIds })}\n`);
    if (talks && runIds.length === 0 && exitCode === EXIT.pass) io.stderr.write('No run has open work.\n');
    return exitCode;
  } finally {
    await shift.close();
  }
}

/** This process at work on all runs: what it needs for each of them, and what it has met. */
class Shift {
  readonly #io: CliIo;
  readonly #tools: Tools;
  readonly #options: WorkerOptions;
  readonly #worker: NewWorker;
  readonly #stop: Stop;
  readonly #inFlight = { count: 0 };
  readonly #providers = new Map<string, ProviderSet>();
  readonly #begunAtMs = new Map<string, number>();
  /** Runs that could not be worked on here, with the exit code of what was missing. */
  readonly #refused = new Map<string, number>();
  readonly #ended = new Set<string>();
  readonly #rotation: RunRotation;

  constructor(io: CliIo, tools: Tools, options: WorkerOptions) {
    this.#io = io;
    this.#tools = tools;
    this.#options = options;
    this.#worker = thisWorker(io, null);
    this.#stop = listenForStop(io, () => this.#inFlight.count, tools.display.onEvent);
    this.#rotation = new RunRotation({
      store: tools.store,
      workerId: this.#worker.workerId,
      now: io.now,
      exitWhenIdle: options.exitWhenIdle === true,
      open: (run) => this.#open(run),
      onEnd: (run, end) => this.#conclude(run, end),
    });
  }

  /** The runs that it had a part in. */
  get runIds(): readonly string[] {
    return [...this.#ended];
  }

  async work(): Promise<number> {
    const end = await this.#claims();
    for (const left of this.#rotation.left) await this.#conclude(left.run, left.end ?? end);
    return this.#stop.exitCode() ?? this.#leftCode();
  }

  /** The verdicts of the runs are their own matter: what counts is work that this process could not do. */
  #leftCode(): number {
    const refused = this.#rotation.runs.map(({ runId }) => this.#refused.get(runId) ?? EXIT.pass);
    return worst([...refused, this.#rotation.isBlocked ? EXIT.incomplete : EXIT.pass]);
  }

  async close(): Promise<void> {
    this.#stop.close();
    for (const providers of this.#providers.values()) await providers.close();
  }

  async #claims(): Promise<WorkEnd> {
    const totals = setInterval(() => this.#showTotals(), TOTALS_EVERY_MS);
    const loop = {
      claim: () => this.#rotation.claim(),
      // Each run has a bound of its own, which the rotation keeps.
      concurrency: Number.POSITIVE_INFINITY,
      stop: this.#stop.signals.stop,
      now: this.#io.now,
      handle: (claim: Claim) => this.#rotation.handle(claim),
    };
    try {
      return await asWorker(this.#tools.store, this.#worker, () => workUntilDone(loop));
    } finally {
      clearInterval(totals);
    }
  }

  /** What keeps one run from being worked on here is said, and keeps no other one. */
  async #open(run: RunRow): Promise<ReadyRun | null> {
    try {
      const ready = await this.#ready(run);
      this.#refused.delete(run.runId);
      return ready;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const isNew = this.#refused.get(run.runId) !== error.exitCode;
      this.#refused.set(run.runId, error.exitCode);
      if (isNew) this.#tools.display.onEvent({ kind: 'warning', message: `run ${run.runId} is left to others: ${error.message}` });
      return null;
    }
  }

  async #ready(run: RunRow): Promise<ReadyRun> {
    const { store, display, pool } = this.#tools;
    const { runId, name, outDir, manifest } = run;
    const providers = await this.#providersOf(run);
    probeFolder(outDir);
    await preflight(manifest, await waitingProviders(store, run), providers, this.#stop.signals.stop);
    const { jobs } = await store.runTotals(runId);
    display.onEvent({ kind: 'run.started', runId, name, joined: true, jobs: jobs.total, cached: 0, outDir });
    this.#begunAtMs.set(runId, this.#io.now());
    const concurrency = this.#options.concurrency ?? manifest.concurrency;
    const handle = handlerOf({
      ...{ store, run, pool, providers, concurrency },
      worker: this.#worker,
      signals: this.#stop.signals,
      onEvent: display.onEvent,
      now: this.#io.now,
      inFlight: this.#inFlight,
      project: (record) => writeJobArtifacts({ store, run, version: packageVersion() }, record),
    });
    return { concurrency, handle };
  }

  /** A provider whose making failed, for want of a key, must be made anew the next time. */
  async #providersOf(run: RunRow): Promise<ProviderSet> {
    const { allowHosts } = this.#tools;
    await this.#providers.get(run.runId)?.close();
    const providers = createProviderSet(run.manifest, (provider) => makeProvider(this.#io, provider, allowHosts));
    this.#providers.set(run.runId, providers);
    return providers;
  }

  async #conclude(run: RunRow, end: WorkEnd): Promise<void> {
    const { store, display } = this.#tools;
    const durationMs = this.#io.now() - (this.#begunAtMs.get(run.runId) ?? this.#io.now());
    this.#ended.add(run.runId);
    await conclude({ store, run, display, stop: this.#stop, end, durationMs, exitZero: false });
  }

  /** The numbers on the screen; a failure to read them is met again, and told, by the work itself. */
  #showTotals(): void {
    const { store, display } = this.#tools;
    const { runs } = this.#rotation;
    if (runs.length === 0) return;
    Promise.all(runs.map(({ runId }) => store.runTotals(runId))).then(
      (all) => display.onTotals(sumTotals(all)),
      () => undefined,
    );
  }
}
