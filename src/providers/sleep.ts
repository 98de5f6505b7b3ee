/** Waits `ms`, or until `signal` aborts; it never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** The real one, by the system's timer. Leaves no listener behind. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
