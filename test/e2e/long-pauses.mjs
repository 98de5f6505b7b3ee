// Preloaded into a process: whoever waits for work looks for it by itself only after an hour. Says on stderr when it begins to wait so.
const HOUR_MS = 3_600_000;
// Who has found nothing several times waits longer than this; who waits for a run to be opened, or a slot to be free, does not.
const IDLE_MS = 1500;
const realTimeout = globalThis.setTimeout;

globalThis.setTimeout = (then, ms, ...rest) => {
  const isPause = ms > IDLE_MS && new Error('where').stack?.includes('/work-loop.js') === true;
  if (isPause) process.stderr.write('waits for an hour\n');
  return realTimeout(then, isPause ? HOUR_MS : ms, ...rest);
};
