import type { CliIo, CliStream, StopSignal } from './io.ts';

const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The real process as a `CliIo`. Call it once: it listens for broken pipes. */
export function processIo(): CliIo {
  preferNoColor(process.env);
  let stdoutOpen = true;
  ignoreBrokenPipe(process.stdout, () => {
    stdoutOpen = false;
  });
  ignoreBrokenPipe(process.stderr, () => undefined);
  return {
    cwd: process.cwd(),
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    pid: process.pid,
    now: Date.now,
    sleep,
    stdoutOpen: () => stdoutOpen,
    onSignal,
    processAlive,
    exitNow: (exitCode) => process.exit(exitCode),
  };
}

/** Node lets FORCE_COLOR beat NO_COLOR and prints a warning about it; a person who set NO_COLOR means it. */
function preferNoColor(env: NodeJS.ProcessEnv): void {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') delete env.FORCE_COLOR;
}

/** A reader that went away must not kill a run whose calls are paid for; any other failure of the stream is a real error. */
function ignoreBrokenPipe(stream: CliStream, onBroken: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onBroken();
  });
}

function onSignal(listener: (signal: StopSignal) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

function processAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to someone else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
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

/**
 * Ends the process once both streams have taken everything. Explicit, because a handle that a library left open must not keep a
 * finished command hanging.
 */
export async function leaveProcess(exitCode: number): Promise<void> {
  process.exitCode = exitCode;
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit(exitCode);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) return resolve();
    stream.write('', () => resolve());
  });
}
