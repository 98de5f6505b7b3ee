import { SLOWEST_BEAT_MS } from '../domain/lease.ts';
import type { HeartbeatMessage } from './heartbeat.ts';

/** What the store's clock, and this thread's own that only goes forward, said at one moment. */
export type Moment = { readonly wallMs: number; readonly monotonicMs: number };

/** The clock goes at its own pace, and is corrected by a little now and then; more is a jump, or a sleep of the machine. */
const JUMP_MS = 1000;

/** How far two beats are apart, and by how much the store's clock was set between them, or the machine slept; 0 when it went as usual. */
export function between(last: Moment, now: Moment): { readonly elapsedMs: number; readonly jumpMs: number } {
  const elapsedMs = Math.round(now.monotonicMs - last.monotonicMs);
  const jumpMs = now.wallMs - last.wallMs - elapsedMs;
  return { elapsedMs, jumpMs: Math.abs(jumpMs) > JUMP_MS ? jumpMs : 0 };
}

export type Beats = {
  /** Renews all leases of the worker; `beatMs`: how often that is to happen. */
  readonly renew: (beatMs: number) => void | Promise<void>;
  /** An error after which the same beat may succeed. Every other one ends the thread. */
  readonly isPassing: (error: unknown) => boolean;
  /** How long to wait then, about. */
  readonly pauseMs: number;
  /** A main loop that is silent for longer does no work: its leases may run out until it speaks again. */
  readonly mainIsDeadMs: number;
};

/**
 * Beats from now on; to be told of the main loop's signs of life. While that is silent nothing is renewed, and its next sign of life renews
 * at once: after a freeze of the whole process this timer, long due, runs before the signs that queued up.
 */
export function startBeating({ renew, isPassing, pauseMs, mainIsDeadMs }: Beats): (message: HeartbeatMessage) => void {
  let beatMs = SLOWEST_BEAT_MS;
  let lastBeatAtMs = Date.now();
  let lastTickAtMs = performance.now();
  let beating = false;
  let timer = setTimeout(beat, 0);

  async function beat(): Promise<void> {
    if (performance.now() - lastTickAtMs > mainIsDeadMs) {
      timer = setTimeout(beat, beatMs);
      return;
    }
    beating = true;
    let nextMs = beatMs;
    try {
      await renew(beatMs);
      lastBeatAtMs = Date.now();
      nextMs = beatMs;
    } catch (error) {
      if (!isPassing(error)) throw error;
      nextMs = pauseMs * (0.5 + Math.random());
    }
    beating = false;
    timer = setTimeout(beat, nextMs);
  }

  return (message) => {
    lastTickAtMs = performance.now();
    const sooner = message.beatMs < beatMs;
    beatMs = Math.min(beatMs, message.beatMs);
    // By the wall clock, as leases are: timers stand still while the machine sleeps.
    const dueInMs = lastBeatAtMs + beatMs - Date.now();
    if (beating || (!sooner && dueInMs > 0)) return;
    clearTimeout(timer);
    timer = setTimeout(beat, Math.min(beatMs, Math.max(0, dueInMs)));
  };
}
