import { type LogLine, logText } from '../display/log-line.ts';
import type { Pace } from '../display/rate.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { asTyped } from '../lead.ts';
import { utcClock } from '../terminal/format.ts';
import { rowsOf } from '../terminal/width.ts';
import { nextSteps } from './next-steps.ts';
import { etaOf, isOver, type Snapshot } from './snapshot.ts';

/** Off a terminal a watcher's log grows by one line in this time at most. */
const LOG_EVERY_MS = 30_000;
/** Where the terminal does not know how high it is; some then say 0. */
const USUAL_ROWS = 24;

/** A run at one moment, and how fast it was lately. */
export type Look = { readonly snapshot: Snapshot; readonly pace: Pace };

export type Watch = {
  readonly json: boolean;
  readonly seconds: number;
  readonly look: () => Promise<Look>;
  /** The whole look, as the command prints it. */
  readonly textOf: (seen: Look) => Promise<string>;
};

/**
 * One look after the other: redrawn in place on a terminal, a JSON line each, or lines of log with the screen at the end. Returns the
 * last look, or the exit code where a signal came first.
 */
export async function watchRun(io: CliIo, { json, seconds, look, textOf }: Watch): Promise<Look | number> {
  const stopped = new AbortController();
  let stopCode: number = EXIT.interrupted;
  const off = io.onSignal((signal) => {
    stopCode = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
    stopped.abort();
  });
  const live = io.stdout.isTTY === true && !json;
  const log = new ChangeLog();
  let drawn: readonly string[] = [];
  io.notes.onAside = () => {
    drawn = [];
  };
  try {
    for (;;) {
      const seen = await look();
      const over = isOver(seen.snapshot) || !io.stdoutOpen();
      if (live) drawn = over || io.inForeground() ? redraw(io, await textOf(seen), drawn) : [];
      else if (json || over) io.stdout.write(`${await textOf(seen)}\n`);
      else if (log.isDue(seen)) io.stdout.write(`${watchLine(io, seen)}\n`);
      if (over) return seen;
      await io.sleep(seconds * 1000, stopped.signal);
      if (stopped.signal.aborted) return stopCode;
    }
  } finally {
    off();
  }
}

/** Which looks are worth a line: the first, and one on which something is new, a while after the last. */
class ChangeLog {
  #last: { readonly facts: string; readonly atMs: number } | null = null;

  isDue({ snapshot }: Look): boolean {
    const { asOfMs } = snapshot;
    const facts = JSON.stringify([snapshot.state, snapshot.stalled !== null, factsOf(snapshot)]);
    if (this.#last !== null && (facts === this.#last.facts || asOfMs - this.#last.atMs < LOG_EVERY_MS)) return false;
    this.#last = { facts, atMs: asOfMs };
    return true;
  }
}

/** The terminal shows what stands between these at once. */
const [AT_ONCE, SHOWN] = ['\u001b[?2026h', '\u001b[?2026l'];
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[0J';

/** Writes a new screen over the last one, line by line, so that nothing flickers; one that fits the terminal. Returns its lines. */
function redraw(io: CliIo, text: string, drawn: readonly string[]): readonly string[] {
  const lines = text.split('\n').slice(0, Math.max(1, (io.stdout.rows || USUAL_ROWS) - 1));
  // A terminal that has become narrower has broken the last screen's lines anew.
  const rows = rowsOf(drawn, io.stdout.columns ?? 0);
  const backUp = rows === 0 ? '' : `\u001b[${rows}A`;
  io.stdout.write(`${AT_ONCE}${backUp}${lines.map((line) => `${line}${REST_OF_LINE}\n`).join('')}${REST_OF_SCREEN}${SHOWN}`);
  return lines;
}

function watchLine({ cwd, notes: { lead } }: CliIo, { snapshot, pace }: Look): string {
  const { stalled, state } = snapshot;
  const etaSeconds = etaOf(snapshot, pace);
  const next = nextSteps(snapshot, cwd);
  const fields = {
    ...factsOf(snapshot),
    ...(etaSeconds === null ? {} : { eta_s: etaSeconds }),
    ...(stalled === null ? {} : { cause: stalled.cause }),
    ...(next.length === 0 ? {} : { next: asTyped(next.join(' · '), lead) }),
  };
  const line: LogLine = { level: stalled === null ? 'INFO' : 'WARN', event: 'status', text: stalled === null ? state : 'stalled', fields };
  return logText(line, utcClock(snapshot.asOfMs));
}

function factsOf({ run, totals: { jobs, results } }: Snapshot) {
  return {
    run: run.runId,
    done: `${jobs.succeeded + jobs.failed + jobs.cancelled}/${jobs.total}`,
    running: jobs.running,
    pass: results.pass,
    fail: results.fail,
    review: results.review,
    error: results.error,
  };
}
