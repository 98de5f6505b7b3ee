import { SLOWEST_BEAT_MS } from '../../../domain/lease.ts';

export type ForeignWorker = { readonly workerId: string; readonly beatAtMs: number };

/** A machine whose clock is wrong by less is not taken for dead because of it. */
const LONG_SILENCE_MS = 10 * 60_000;
const UNCHANGED_MS = 1.5 * SLOWEST_BEAT_MS;

/**
 * Workers of other hosts, of which neither lock nor process can be asked. The clocks of two machines need not agree, so a beat is
 * not judged by its time but by whether it changes before our eyes; only one that is very old is dead at first sight.
 */
export class HostWatch {
  readonly #monotonic: () => number;
  readonly #seen = new Map<string, { readonly beatAtMs: number; readonly sinceMs: number }>();

  /** `monotonic` in milliseconds from any start. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** `unknown`: look again, for at most one and a half beats. */
  judge({ workerId, beatAtMs }: ForeignWorker, nowMs: number): 'alive' | 'dead' | 'unknown' {
    if (nowMs - beatAtMs > LONG_SILENCE_MS) return 'dead';
    const seen = this.#seen.get(workerId);
    if (seen === undefined) this.#seen.set(workerId, { beatAtMs, sinceMs: this.#monotonic() });
    if (seen === undefined) return 'unknown';
    if (seen.beatAtMs !== beatAtMs) return 'alive';
    return this.#monotonic() - seen.sinceMs > UNCHANGED_MS ? 'dead' : 'unknown';
  }
}
