const BEAT_MS = 500;
/** A person wonders after as many. */
const BEATS = 4;

/** Calls `tell` once when the work takes so long that whoever waits for it wonders. Time in which this process was held up is not counted. */
export async function tellIfSlow<T>(work: Promise<T>, tell: () => void): Promise<T> {
  let beats = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (nowMs - lastMs < 2 * BEAT_MS) beats += 1;
    lastMs = nowMs;
    if (beats === BEATS) tell();
  }, BEAT_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
