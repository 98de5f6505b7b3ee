/** A worker whose beats are late by more than this many works on nothing. */
export const MISSED_BEATS = 3;

/** A worker beats at least so often, whatever its run asks for. */
export const SLOWEST_BEAT_MS = 15_000;

/** A lease as one process sees it. Times are milliseconds. */
export type SeenLease = {
  readonly nowMs: number;
  readonly expiresAtMs: number;
  /** How long a lease of its run lasts after a renewal. */
  readonly ttlMs: number;
  /** For how long it was watched to stand unrenewed, on clocks that only go forward. */
  readonly unchangedMs: number;
};

/**
 * Whether its time is over. One that ends further ahead than any renewal puts it was written before the clock was set back, and counts as
 * run out.
 */
export function ranOut({ nowMs, expiresAtMs, ttlMs }: Omit<SeenLease, 'unchangedMs'>): boolean {
  return expiresAtMs <= nowMs || expiresAtMs > nowMs + ttlMs;
}

/**
 * Whether a lease may be taken from a holder that is not known to be dead. Its time alone never decides: after a jump of the clock,
 * or a sleep of the machine, every lease looks run out, also those that are about to be renewed.
 */
export function isAbandoned(lease: SeenLease): boolean {
  return ranOut(lease) && lease.unchangedMs >= lease.ttlMs;
}
