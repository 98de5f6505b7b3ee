import { UserError } from '../../domain/errors.ts';
import type { LogPlace, LogRow } from '../../store/log-rows.ts';
import type { RunRow } from '../../store/rows.ts';
import { runGone } from '../../store/run-gone.ts';
import type { Store } from '../../store/store.ts';
import type { LogsOptions } from '../commands/options.ts';
import { withStore } from '../context.ts';
import { mayShowWords } from '../display/bare.ts';
import { type LogLine, logJson, logText } from '../display/log-line.ts';
import { EXIT } from '../exit-codes.ts';
import type { Globals } from '../globals.ts';
import type { CliIo } from '../io.ts';
import { findJobIds } from '../jobs/find-job.ts';
import { findRun } from '../jobs/find-run.ts';
import { dayAndTime } from '../terminal/format.ts';
import { Following } from './following.ts';
import { endedLine, rowLine, startedLine } from './log-lines.ts';
import { QuietNotes } from './quiet-notes.ts';
import { isOver, type Snapshot, takeSnapshot } from './snapshot.ts';

const PAGE = 500;
const LOOK_EVERY_MS = 500;
/** A change of the last moments may still be on its way into the database, behind one that is there: a follower reads it later. */
const SETTLED_MS = 50;

/** `aieval logs [RUN]`: what happened, oldest first, one line each; with `--follow` until the run ends. Returns the exit code. */
export async function logsCommand(io: CliIo, globals: Globals, name: string, options: LogsOptions): Promise<number> {
  const patience = options.follow === true ? new Following(io).patience : undefined;
  return await withStore(io, { ...globals, patience }, async (store) => {
    const run = await findRun(store, name);
    const jobIds = options.job === undefined ? null : await findJobIds(store, run, options.job);
    const log = new LogReader(io, store, { run, jobIds, json: globals.json, options });
    if (options.follow === true) return await follow(io, log, { notes: new QuietNotes(io, globals), hurry: () => store.hurry('now') });
    await log.readAll(Number.MAX_SAFE_INTEGER);
    log.sayIfEmpty();
    return EXIT.pass;
  });
}

/** `hurry`: what is being read is not waited for any longer. */
type Follower = { readonly notes: QuietNotes; readonly hurry: () => void };

/** Prints what comes until the run is over, whoever works on it. A signal ends it with its own code. */
async function follow(io: CliIo, log: LogReader, { notes, hurry }: Follower): Promise<number> {
  const stopped = new AbortController();
  let exitCode: number = EXIT.pass;
  const off = io.onSignal((signal) => {
    exitCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
    stopped.abort();
    hurry();
  });
  try {
    while (!stopped.signal.aborted && io.stdoutOpen()) {
      // Looked at first: what happened before the end is read after it.
      const snapshot = await log.snapshot();
      const over = isOver(snapshot);
      await log.readAll(over ? Number.MAX_SAFE_INTEGER : io.now() - SETTLED_MS, stopped.signal);
      if (over) break;
      notes.look(snapshot);
      await io.sleep(LOOK_EVERY_MS, stopped.signal);
    }
    return exitCode;
  } catch (error) {
    if (stopped.signal.aborted && error instanceof UserError) return exitCode;
    throw error;
  } finally {
    off();
  }
}

type LogStore = Pick<Store, 'logRows' | 'getRun' | 'runTotals' | 'workers' | 'openCalls' | 'spansMachines'>;
type Asked = { readonly run: RunRow; readonly jobIds: readonly string[] | null; readonly json: boolean; readonly options: LogsOptions };

/** Reads a run's log from where it was left, page by page. */
class LogReader {
  readonly #io: CliIo;
  readonly #store: LogStore;
  readonly #asked: Asked;
  #after: LogPlace | null = null;
  #begun = false;
  #printed = 0;

  constructor(io: CliIo, store: LogStore, asked: Asked) {
    this.#io = io;
    this.#store = store;
    this.#asked = asked;
  }

  /** The run as it stands. */
  async snapshot(): Promise<Snapshot> {
    return await takeSnapshot(this.#store, this.#asked.run.runId, this.#io.now());
  }

  /** Prints what happened since the last time and before `beforeMs`, and the end of a run that is over. */
  async readAll(beforeMs: number, stop?: AbortSignal): Promise<void> {
    const run = await this.#run();
    if (!this.#begun) this.#printOfRun(startedLine(run), run.createdAtMs);
    this.#begun = true;
    while (this.#io.stdoutOpen() && stop?.aborted !== true) {
      const page = await this.#page(beforeMs);
      const withWords = mayShowWords(this.#io, [this.#io.stdout], run.manifest);
      for (const row of page) this.#print(rowLine(run, row, withWords), row.place.atMs);
      this.#after = page.at(-1)?.place ?? this.#after;
      await this.#drained();
      if (page.length < PAGE) break;
    }
    if (run.finishedAtMs !== null && beforeMs === Number.MAX_SAFE_INTEGER) {
      // What was in flight when the run was cancelled ended later.
      const endedAtMs = Math.max(run.finishedAtMs, this.#after?.atMs ?? 0);
      this.#printOfRun(endedLine(run, await this.#store.runTotals(run.runId)), endedAtMs);
    }
  }

  /** Not an error: nothing has happened. */
  sayIfEmpty(): void {
    const { run, options } = this.#asked;
    if (this.#printed > 0) return;
    const what = options.failed === true ? 'Nothing went wrong' : 'Nothing has happened';
    const since = options.since === undefined ? '' : ` since ${dayAndTime(options.since)}`;
    this.#io.stderr.write(`${what} in run ${run.runId}${options.job === undefined ? '' : ' to what was asked for'}${since}.\n`);
  }

  async #run(): Promise<RunRow> {
    const { runId } = this.#asked.run;
    const run = await this.#store.getRun(runId);
    if (run === null) throw runGone(runId);
    return run;
  }

  async #page(beforeMs: number): Promise<readonly LogRow[]> {
    const { run, jobIds, options } = this.#asked;
    const [sinceMs, onlyFailed] = [options.since ?? 0, options.failed === true];
    return await this.#store.logRows(run.runId, { after: this.#after, sinceMs, beforeMs, limit: PAGE, onlyFailed, jobIds });
  }

  /** The run's own events are no part of what was chosen of its jobs. */
  #printOfRun(line: LogLine, atMs: number): void {
    const { jobIds, options } = this.#asked;
    if (jobIds === null && options.failed !== true && atMs >= (options.since ?? 0)) this.#print(line, atMs);
  }

  #print(line: LogLine, atMs: number): void {
    this.#printed += 1;
    this.#io.stdout.write(`${this.#asked.json ? logJson(line, atMs) : logText(line, dayAndTime(atMs))}\n`);
  }

  /** A million lines must not pile up before a slow reader. */
  async #drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (!this.#io.stdoutOpen()) return resolve();
      this.#io.stdout.write('', () => resolve());
    });
  }
}
