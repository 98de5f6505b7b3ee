import { openState } from './context.ts';
import { plainText } from './display/plain-line.ts';
import { type Pace, RateMeter } from './display/rate.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import type { Globals } from './globals.ts';
import type { CliIo } from './io.ts';
import type { StatusOptions } from './options.ts';
import { isOver, type Snapshot, takeSnapshot } from './snapshot.ts';
import { usableColumns } from './terminal/look.ts';
import { painter } from './terminal/style.ts';

/** Off a terminal a watcher's log grows by one look in this time at most. */
const LOG_EVERY_SECONDS = 30;
const OFF_TERMINAL_COLUMNS = 200;
/** Where the terminal does not know how high it is; some then say 0. */
const USUAL_ROWS = 24;

/** `aieval status [RUN]`: one look at a run, or with `--watch` one after the other until it ends. Returns the exit code. */
export async function statusCommand(
  io: CliIo,
  globals: Globals,
  [name = 'latest']: readonly string[],
  options: StatusOptions,
): Promise<number> {
  const { store } = await openState(io, { manifestPath: null, db: globals.db, out: globals.out, mustExist: true });
  try {
    const run = await findRun(store, name);
    const pace = new RateMeter(run.plannedAtMs ?? run.createdAtMs);
    const look = async (): Promise<Look> => {
      const snapshot = await takeSnapshot(store, run.runId, io.now());
      if (snapshot === null) throw new Error(`run ${run.runId} disappeared while it was watched`);
      pace.add(snapshot.asOfMs, snapshot.totals);
      return { snapshot, pace: pace.pace(snapshot.totals) };
    };
    return options.watch === true ? await watch(io, globals, options, look) : await once(io, globals, options, await look());
  } finally {
    await store.close();
  }
}

type Look = { readonly snapshot: Snapshot; readonly pace: Pace };

async function once(io: CliIo, globals: Globals, options: StatusOptions, seen: Look): Promise<number> {
  io.stdout.write(`${await textOf(io, globals, seen)}\n`);
  return exitCode(options, seen.snapshot);
}

function exitCode({ exitStatus }: StatusOptions, { verdict }: Snapshot): number {
  if (exitStatus !== true) return EXIT.pass;
  return exitCodeOf(verdict ?? 'incomplete');
}

/** Loads only what the look is printed with: half of the time that a status takes is spent on loading. */
async function textOf(io: CliIo, globals: Globals, { snapshot, pace }: Look): Promise<string> {
  if (globals.json) return JSON.stringify((await import('./status-record.ts')).statusRecord(snapshot, pace));
  const { statusLines } = await import('./status-screen.ts');
  const look = { columns: usableColumns(io.stdout, OFF_TERMINAL_COLUMNS), paint: painter(globals.colour.stdout), cwd: io.cwd };
  return statusLines(snapshot, pace, look).join('\n');
}

/** One look after the other: redrawn in place on a terminal, a JSON line each, or one line of log each with the screen at the end. */
async function watch(io: CliIo, globals: Globals, options: StatusOptions, look: () => Promise<Look>): Promise<number> {
  const stopped = new AbortController();
  let stopCode: number = EXIT.interrupted;
  const off = io.onSignal((signal) => {
    stopCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
    stopped.abort();
  });
  const live = io.stdout.isTTY === true && !globals.json;
  const seconds = live || globals.json ? options.interval : Math.max(options.interval, LOG_EVERY_SECONDS);
  let drawn = 0;
  try {
    for (;;) {
      const seen = await look();
      const over = isOver(seen.snapshot) || !io.stdoutOpen();
      if (live) drawn = redraw(io, await textOf(io, globals, seen), drawn);
      else io.stdout.write(`${globals.json || over ? await textOf(io, globals, seen) : watchLine(seen)}\n`);
      if (over) return exitCode(options, seen.snapshot);
      await io.sleep(seconds * 1000, stopped.signal);
      if (stopped.signal.aborted) return stopCode;
    }
  } finally {
    off();
  }
}

/** Replaces the last screen, `drawn` lines high, by a new one that fits the terminal; returns its height. */
function redraw(io: CliIo, text: string, drawn: number): number {
  const lines = text.split('\n').slice(0, Math.max(1, (io.stdout.rows || USUAL_ROWS) - 1));
  const backUp = drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`;
  io.stdout.write(`${backUp}${lines.join('\n')}\n`);
  return lines.length;
}

function watchLine({ snapshot, pace }: Look): string {
  const { run, state, totals, asOfMs } = snapshot;
  const { jobs, results } = totals;
  const fields = {
    run: run.runId,
    done: `${jobs.succeeded + jobs.failed + jobs.cancelled}/${jobs.total}`,
    running: jobs.running,
    pass: results.pass,
    fail: results.fail,
    review: results.review,
    error: results.error,
    ...(pace.etaSeconds === null ? {} : { eta_s: pace.etaSeconds }),
  };
  return plainText({ level: 'INFO', text: state, fields }, asOfMs);
}
