/** A running step's lease. */
export type WatchedLease = {
  readonly token: string;
  readonly expiresAtMs: number;
  /** For how long others have watched it stand unrenewed, one after the other, where that is kept. */
  readonly watchedMs?: number;
};

type Seen = { readonly expiresAtMs: number; readonly sinceMs: number };

/** Last sign that this process could write: its own heartbeat. */
export type OwnBeat = { readonly workerId: string; readonly beatAtMs: number; readonly beatMs: number };

/** A beat that is late by more than half has not found the lock. */
const LATE_BEATS = 1.5;
/** A beat is looked for once a second. */
const LEAST_LATE_MS = 1500;

/** Longer than a busy main loop is silent: what happened meanwhile was not watched. */
const SUSPENDED_MS = 5000;

/**
 * What this process has seen of the leases on its store, and those before it, on a clock that only goes forward: since when each stands unrenewed. A
 * process that was frozen or slept has seen nothing meanwhile, so it starts anew: those that slept with it get to renew first. The
 * same while somebody keeps the database's lock, and nobody can renew. Nor does time count in which the store could not be asked.
 */
export class LeaseWatch {
  readonly #monotonic: () => number;
  #seen = new Map<string, Seen>();
  #beats = new Map<string, { readonly beatAtMs: number; readonly sinceMs: number }>();
  #locked = false;
  #tickedAtMs: number | null = null;
  #notedAtMs: number | null = null;
  #missed = false;
  /** How long nothing could be seen. */
  #blindMs = 0;

  /** `monotonic` in milliseconds from any start. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** All leases that there are now. */
  note(leases: readonly WatchedLease[]): void {
    this.#startAnewAfterSleep();
    this.#passOverWhatWasMissed();
    if (this.#locked) this.#seen.clear();
    this.#seen = new Map(leases.map((lease) => [lease.token, this.#now(lease)]));
  }

  /** One more, which was just given. */
  saw(lease: WatchedLease): void {
    this.#seen.set(lease.token, this.#now(lease));
  }

  /** The store could not be asked just now. What passes from the last look to the next one is not counted: nobody else may have renewed either. */
  missed(): void {
    this.#missed = true;
  }

  /** The beats of this process's own workers: one that does not come shows that nobody could renew. */
  noteOwnBeats(beats: readonly OwnBeat[]): void {
    const nowMs = this.#monotonic();
    const since = (beat: OwnBeat): number => {
      const before = this.#beats.get(beat.workerId);
      return before?.beatAtMs === beat.beatAtMs ? before.sinceMs : nowMs;
    };
    this.#beats = new Map(beats.map((beat) => [beat.workerId, { beatAtMs: beat.beatAtMs, sinceMs: since(beat) }]));
    this.#locked = beats.some((beat) => nowMs - since(beat) > Math.max(LEAST_LATE_MS, LATE_BEATS * beat.beatMs));
  }

  /** For how long the lease has been seen as it is. */
  unchangedMs({ token, expiresAtMs }: WatchedLease): number {
    const seen = this.#seen.get(token);
    return seen?.expiresAtMs === expiresAtMs ? this.#watchedMs() - seen.sinceMs : 0;
  }

  /** Once a second, from when it is first called: silence then means that the process stood still. */
  tick(): void {
    this.#startAnewAfterSleep();
    this.#tickedAtMs = this.#monotonic();
  }

  #startAnewAfterSleep(): void {
    const nowMs = this.#monotonic();
    if (this.#tickedAtMs === null || nowMs - this.#tickedAtMs < SUSPENDED_MS) return;
    this.#tickedAtMs = nowMs;
    this.#seen.clear();
  }

  #passOverWhatWasMissed(): void {
    const nowMs = this.#monotonic();
    if (this.#missed && this.#notedAtMs !== null) this.#blindMs += nowMs - this.#notedAtMs;
    this.#missed = false;
    this.#notedAtMs = nowMs;
  }

  /** Goes on while leases are watched, and can be. */
  #watchedMs(): number {
    return this.#monotonic() - this.#blindMs;
  }

  /** What others have watched is not watched again. */
  #now({ token, expiresAtMs, watchedMs = 0 }: WatchedLease): Seen {
    const seen = this.#seen.get(token);
    const sinceMs = this.#watchedMs() - watchedMs;
    return { expiresAtMs, sinceMs: seen?.expiresAtMs === expiresAtMs ? Math.min(seen.sinceMs, sinceMs) : sinceMs };
  }
}
