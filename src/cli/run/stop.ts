import { setMaxListeners } from 'node:events';
import { UserError } from '../../domain/errors.ts';
import type { StopSignals } from '../../engine/call.ts';
import type { OnEvent } from '../../engine/events.ts';
import type { Store } from '../../store/store.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliIo, StopSignal } from '../io.ts';

export type Stop = {
  readonly signals: StopSignals;
  /** 130 or 143 once a signal came, 70 after an unexpected error, else `null`. */
  exitCode(): number | null;
  close(): void;
};

/** How long calls in flight may still run: a person waits longer than the machine that is about to kill us. */
const GRACE_MS: Record<StopSignal, number> = { SIGINT: 60_000, SIGTERM: 10_000, SIGHUP: 10_000, bug: 10_000 };

const EXIT_CODES: Record<StopSignal, number> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.terminated,
  bug: EXIT.bug,
};

/** First signal: claim nothing more, let calls finish. Second, or the grace is over: end them. Third: leave at once. */
export function listenForStop(io: CliIo, inFlight: () => number, onEvent: OnEvent): Stop {
  const stop = new AbortController();
  const now = new AbortController();
  // One listener a call, and there are as many calls at once as the user wants.
  setMaxListeners(0, stop.signal, now.signal);
  let exitCode: number | null = null;
  let grace: NodeJS.Timeout | undefined;
  const leaveNow = (): void => {
    onEvent({ kind: 'stopping', inFlight: inFlight(), now: true });
    now.abort();
  };
  const off = io.onSignal((signal) => {
    exitCode ??= EXIT_CODES[signal];
    if (now.signal.aborted) return io.exitNow(exitCode);
    if (stop.signal.aborted) return leaveNow();
    stop.abort();
    const graceMs = GRACE_MS[signal];
    onEvent({ kind: 'stopping', inFlight: inFlight(), now: false, graceMs, byPerson: signal === 'SIGINT' });
    grace = setTimeout(leaveNow, graceMs);
  });
  const close = (): void => {
    off();
    clearTimeout(grace);
  };
  return { signals: { stop: stop.signal, now: now.signal }, exitCode: () => exitCode, close };
}

/**
 * Work that a person may end at any moment: from then on it waits for no server that is away, and once it is to end now, for nobody who
 * holds the database. What then goes wrong is told in the place of how the work stands, with the command `goOn` that takes it up again, and the
 * exit code stays that of the signal.
 */
export async function underStop<End>(
  stop: Stop,
  { store, goOn }: { readonly store: Pick<Store, 'hurry'>; readonly goOn: string },
  work: () => Promise<End>,
): Promise<End> {
  const unlinks = [onAbort(stop.signals.stop, () => store.hurry('soon')), onAbort(stop.signals.now, () => store.hurry('now'))];
  try {
    return await work();
  } catch (error) {
    const exitCode = stop.exitCode();
    if (exitCode === null || !(error instanceof UserError)) throw error;
    const { code, message, next } = error;
    throw new UserError({ code, exitCode, message, next: [...next, `to go on then: ${goOn}`], cause: error });
  } finally {
    for (const unlink of unlinks) unlink();
  }
}

/** Returns the way back. */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}
