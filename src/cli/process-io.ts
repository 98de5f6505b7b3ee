import { readFileSync } from 'node:fs';
import { EXIT, worst } from './exit-codes.ts';
import type { CliIo, CliStream, StopSignal } from './io.ts';
import { asTyped, PROGRAM } from './lead.ts';
import { isForeground } from './terminal/foreground.ts';

const STOP_SIGNALS: readonly Exclude<StopSignal, 'bug'>[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export type ProcessIo = {
  readonly io: CliIo;
  /** Ends the process once both streams have taken everything; with the code for storage when stdout could not. */
  leave(exitCode: number): Promise<void>;
  /** Asks the work to end as SIGTERM does: calls in flight are answered. False where nobody listens, and nothing is to end. */
  stopWork(): boolean;
};

/** The real process. Call it once: it listens for broken streams. */
export function processIo(): ProcessIo {
  preferNoColor(process.env);
  const stdout = watched(process.stdout);
  watched(process.stderr);
  const listeners = new Set<StopListener>();
  const io: CliIo = {
    cwd: process.cwd(),
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: () => process.stdin,
    pid: process.pid,
    userId: process.geteuid?.() ?? null,
    now: Date.now,
    sleep,
    stdoutOpen: () => stdout.brokenBy === null,
    inForeground,
    onSignal: (listener) => onSignal(listener, listeners),
    onSuspend,
    notes: {
      lead: PROGRAM,
      stateFolder: null,
      runId: null,
      env: null,
      envFiles: [],
      envPlace: null,
      argv: process.argv.slice(2),
      onAside: null,
      closeDisplay: null,
    },
    exitNow: (exitCode) => {
      io.notes.closeDisplay?.();
      process.exit(exitCode);
    },
  };
  const stopWork = (): boolean => {
    for (const listener of listeners) listener('bug');
    return listeners.size > 0;
  };
  return { io, leave: (exitCode) => leave(exitCode, stdout, io.notes.lead), stopWork };
}

/** Node lets FORCE_COLOR beat NO_COLOR and prints a warning about it; a person who set NO_COLOR means it. */
function preferNoColor(env: NodeJS.ProcessEnv): void {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') delete env.FORCE_COLOR;
}

type Watched = { brokenBy: string | null };

/** Neither a reader that went away nor a full disk behind a stream must kill a run whose calls are paid for. */
function watched(stream: CliStream): Watched {
  const state: Watched = { brokenBy: null };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    state.brokenBy ??= error.code ?? error.message;
  });
  return state;
}

/** Asked for at each redraw: Linux has it in a file, others only through another process. */
function inForeground(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return isForeground(readFileSync('/proc/self/stat', 'latin1'));
  } catch {
    // Where /proc is not mounted nobody knows.
    return true;
  }
}

type StopListener = (signal: StopSignal) => void;

function onSignal(listener: StopListener, listeners: Set<StopListener>): () => void {
  listeners.add(listener);
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    listeners.delete(listener);
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

/** A stop takes hold within this; where it does not, the system ignores it, as for a shell's only process. */
const STOPPED_WITHIN_MS = 100;

/** The signal is sent again with nobody listening: the system, not we, knows whether anybody is there to wake us. */
function onSuspend(before: () => void, after: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const goOn = (): void => {
    process.on('SIGTSTP', suspend);
    after();
  };
  const suspend = (): void => {
    before();
    process.off('SIGTSTP', suspend);
    process.kill(process.pid, 'SIGTSTP');
    timer = setTimeout(goOn, STOPPED_WITHIN_MS);
  };
  process.on('SIGTSTP', suspend);
  return () => {
    clearTimeout(timer);
    process.off('SIGTSTP', suspend);
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/** Explicit, because a handle that a library left open must not keep a finished command hanging. */
async function leave(exitCode: number, stdout: Watched, lead: string): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(flushed));
  const { brokenBy } = stdout;
  if (brokenBy === null || brokenBy === 'EPIPE') process.exit(exitCode);
  const next = asTyped('aieval status', lead);
  process.stderr.write(`error[E24]: cannot write to stdout (${brokenBy}); what the run gave is stored\nnext: ${next}\n`);
  process.exit(worst([exitCode, EXIT.storage]));
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) return resolve();
    stream.write('', () => resolve());
  });
}
