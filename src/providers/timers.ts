import type { CallTimeouts } from '../domain/completion.ts';

/** Named as the manifest's `timeouts` are, without the unit. */
export type TimerName = 'connect' | 'firstToken' | 'idle' | 'total';

type Expired = { readonly timer: TimerName; readonly limitMs: number };

/** The timers of one call. Every method may be called at any time, also after the end. */
export type CallTimers = {
  /** The request is on its way: the wait for the first token begins. */
  sent(): void;
  /** Content came. Pings and empty events are not content. */
  content(): void;
  /** The finish reason came: only usage and the end of the stream are missing. Said again, it gives them no more time. */
  finished(): void;
  /** The timer that ended the call; `null` while none did. */
  expired(): Expired | null;
  stop(): void;
};

/** `setTimeout` takes no more and would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A complete answer is not kept waiting for its tail longer than this. */
const TAIL_MS = 5000;

/**
 * Starts the connect and the total timer. With `streaming`, the first token has its own limit from `sent()` on, later content the
 * idle limit; without, nothing comes before the whole answer, and only the total limit applies. `onExpire` is called once.
 */
export function startTimers(timeouts: CallTimeouts, streaming: boolean, onExpire: () => void): CallTimers {
  let expired: Expired | null = null;
  const expire = (timer: TimerName, limitMs: number) => () => {
    if (expired !== null) return;
    expired = { timer, limitMs };
    onExpire();
  };
  const total = startAlarm(timeouts.totalMs, expire('total', timeouts.totalMs));
  let phase = startAlarm(timeouts.connectMs, expire('connect', timeouts.connectMs));
  let phaseName: TimerName | 'tail' | 'none' = 'connect';
  const enter = (name: typeof phaseName, timer: TimerName, limitMs: number): void => {
    if (phaseName === 'none') return;
    if (phaseName === name) {
      if (name !== 'tail') phase.restart();
      return;
    }
    phase.stop();
    phaseName = name;
    phase = startAlarm(limitMs, expire(timer, limitMs));
  };
  const stopPhase = (): void => {
    phase.stop();
    phaseName = 'none';
  };
  return {
    sent: () => (streaming ? enter('firstToken', 'firstToken', timeouts.firstTokenMs) : stopPhase()),
    content: () => enter('idle', 'idle', timeouts.idleMs),
    finished: () => enter('tail', 'idle', Math.min(TAIL_MS, timeouts.idleMs)),
    expired: () => expired,
    stop: () => {
      total.stop();
      stopPhase();
    },
  };
}

type Alarm = { restart(): void; stop(): void };

/**
 * Rings `limitMs` after the last (re)start. When the loop was held up, the bytes that came in time are still unread as the timer
 * fires; so it looks again after a poll phase, in which they are read and may restart or stop it.
 */
function startAlarm(limitMs: number, ring: () => void): Alarm {
  let lookAgain: NodeJS.Immediate | undefined;
  const timer = setTimeout(
    () => {
      lookAgain = setImmediate(() => {
        lookAgain = setImmediate(ring);
      });
    },
    Math.min(limitMs, LONGEST_TIMER_MS),
  );
  return {
    restart: () => {
      clearImmediate(lookAgain);
      timer.refresh();
    },
    stop: () => {
      clearImmediate(lookAgain);
      clearTimeout(timer);
    },
  };
}
