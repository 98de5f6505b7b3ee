import { duration } from '../terminal/format.ts';
import type { ShownWorker, Snapshot } from './snapshot.ts';

/** Nobody takes a lease sooner than it looks for it. */
const SOON_MS = 1000;

type Watched = Pick<Snapshot, 'workers' | 'asOfMs'>;

/** Whether a worker lives, and what comes of its work where it does not, or does not beat. */
export function lifeText(worker: ShownWorker, watched: Watched): string {
  const { alive, live, certain, running, beatAtMs } = worker;
  if (alive && live) return 'alive';
  if (!certain) return `silent for ${duration(watched.asOfMs - beatAtMs)}${takeoverText(worker, watched)}`;
  if (!alive) return running === 0 ? 'gone' : 'gone; its work is taken up again';
  return 'alive, but silent; its work is taken up again when its leases run out';
}

function takeoverText({ takeover, ...worker }: ShownWorker, { workers, asOfMs }: Watched): string {
  if (takeover === null) return '';
  const at = takenOverAtMs({ takeover, ...worker }, { workers, asOfMs });
  if (at !== null) return `; its work is taken up again in about ${duration(Math.max(SOON_MS, at - asOfMs))}`;
  const waitMs = Math.max(takeover.watchMs, takeover.expiresAtMs - asOfMs);
  return `; the next worker takes its work after about ${duration(waitMs)}`;
}

/**
 * About when others take the work of a silent worker of which no lock tells whether it lives; `null`: nobody is there who would, or it has
 * none. Who has watched a lease from its last renewal takes it at its end; who has come since watches it for as long as it lasts.
 */
export function takenOverAtMs({ takeover, alive, live, certain }: ShownWorker, { workers, asOfMs }: Watched): number | null {
  if (takeover === null || certain || (alive && live) || !workers.some((other) => other.live)) return null;
  return takeover.expiresAtMs > asOfMs ? takeover.expiresAtMs : asOfMs + takeover.watchMs;
}
