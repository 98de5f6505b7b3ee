import type { ServerPatience } from '../server-news.ts';
import { isReadOnly } from './postgres-errors.ts';
import { noConnectionYet, whatOf, whyOf } from './storage-error.ts';

/** A connection that breaks is made anew without a word; an absence that lasts is told. */
const WORTH_TELLING_MS = 2000;

/** Of somebody who was asked to leave: first when there is time for calls in flight, then when there is none. */
const LEAVING_PATIENCE_MS = { soon: 5000, now: 1000 };
/** After this somebody who is leaving asks once more: each of the many things that they do last would wait for the same silence. */
const ASK_AGAIN_MS = 1000;

type Away = { readonly sinceMs: number; error: unknown; failedAtMs: number; failures: number; told: boolean };

type Gate = { readonly opened: Promise<void>; readonly open: () => void };

/**
 * Whether the server answers this process, over all its operations. While it does not, one of them asks it, and the others wait for what
 * comes of that: a server that is starting is not met by all at once. Waits for anything else count only the time in which it answered.
 */
export class ServerWatch {
  readonly #shown: string;
  readonly #onServer: ServerPatience['onServer'];
  #patienceMs: number;
  #isLeaving = false;
  #away: Away | null = null;
  #absentMs = 0;
  #asking: Gate | null = null;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #abandonments = 0;
  #abandonment: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<(reason: StillAway) => void>();

  constructor(shown: string, { patienceMs, onServer }: ServerPatience) {
    this.#shown = shown;
    this.#patienceMs = patienceMs;
    this.#onServer = onServer;
  }

  /** Goes on only while the server answers; in milliseconds from any start. */
  presentMs(): number {
    return (this.#away?.sinceMs ?? performance.now()) - this.#absentMs;
  }

  /**
   * Whether what the server did not take may be tried again. Once, however long the first attempt took: a connection that was begun while
   * the way was broken hears nothing, also when that is open again.
   */
  isWaitedFor(): boolean {
    const away = this.#away;
    if (away === null || (away.failures < 2 && !this.#isLeaving)) return true;
    return performance.now() - away.sinceMs <= this.#patienceMs;
  }

  /** From now on an absence is waited for so long. */
  wait(patienceMs: number): void {
    this.#patienceMs = patienceMs;
  }

  hurry(how: keyof typeof LEAVING_PATIENCE_MS): void {
    this.#isLeaving = true;
    this.#patienceMs = Math.min(this.#patienceMs, LEAVING_PATIENCE_MS[how]);
    this.#planAbandonment();
  }

  /** How often all that waited was told that the server is given up. */
  get abandonments(): number {
    return this.#abandonments;
  }

  /** As the work ends; before that, once a process that is to leave has waited long enough for the server. */
  whileWaitedFor<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Nothing is waited for any more. */
  close(): void {
    clearTimeout(this.#abandonment);
  }

  /** Resolves when the caller may ask the server. Throws what another one met who asked for it. */
  async turn(): Promise<void> {
    if (this.#away === null) return;
    if (this.#isGivenUp(this.#away)) throw new StillAway(this.#away.error);
    if (this.#asking === null) {
      this.#asking = gate();
      return;
    }
    await this.#asking.opened;
    if (this.#away !== null) throw new StillAway(this.#away.error);
  }

  /** It answered, whatever it said. */
  answered(): void {
    const away = this.#away;
    this.#away = null;
    this.#heardAtMs = performance.now();
    clearTimeout(this.#abandonment);
    this.#letGo();
    if (away === null) return;
    const awayMs = performance.now() - away.sinceMs;
    this.#absentMs += awayMs;
    if (away.told) this.#onServer({ kind: 'back', shown: this.#shown, awayMs });
  }

  /** Whether it answered anybody of this process after that moment. */
  hasAnsweredSince(ms: number): boolean {
    return this.#heardAtMs > ms;
  }

  /** It took a statement, which one that is read-only does as well. */
  begun(): void {
    if (this.#away === null || !isReadOnly(this.#away.error)) this.answered();
    else this.#letGo();
  }

  /** Whether it is there is as open as before. */
  asked(): void {
    this.#letGo();
  }

  /** A connection broke, or none came about. */
  failed(error: unknown): void {
    const nowMs = performance.now();
    this.#away ??= { sinceMs: nowMs, error, failedAtMs: nowMs, failures: 0, told: false };
    this.#away.error = error;
    this.#away.failedAtMs = nowMs;
    this.#away.failures += 1;
    this.#planAbandonment();
    if (!this.#away.told && performance.now() - this.#away.sinceMs >= WORTH_TELLING_MS) {
      this.#tell(this.#away, { what: whatOf(error), why: whyOf(error) });
    }
    this.#letGo();
  }

  /** Somebody has waited since then, for a connection or for an answer, and nothing has come of it yet. */
  silent(sinceMs: number): void {
    const error = Object.assign(new Error(noConnectionYet().why), { code: 'ETIMEDOUT' });
    const failedAtMs = Number.NEGATIVE_INFINITY;
    this.#away ??= { sinceMs: Math.max(sinceMs, this.#heardAtMs), error, failedAtMs, failures: 0, told: false };
    if (!this.#away.told) this.#tell(this.#away, noConnectionYet());
    this.#planAbandonment();
  }

  #planAbandonment(): void {
    if (!this.#isLeaving || this.#away === null) return;
    clearTimeout(this.#abandonment);
    this.#abandonment = setTimeout(() => this.#abandon(), Math.max(0, this.#away.sinceMs + this.#patienceMs - performance.now()));
  }

  #abandon(): void {
    if (this.#away === null) return;
    this.#away.failedAtMs = performance.now();
    this.#abandonments += 1;
    for (const leave of this.#waiting) leave(new StillAway(this.#away.error));
    this.#letGo();
  }

  #isGivenUp({ sinceMs, failedAtMs }: Away): boolean {
    const nowMs = performance.now();
    return this.#isLeaving && nowMs - sinceMs > this.#patienceMs && nowMs - failedAtMs < ASK_AGAIN_MS;
  }

  #tell(away: Away, words: { readonly what: string; readonly why: string }): void {
    away.told = true;
    this.#onServer({ kind: 'away', shown: this.#shown, ...words, patienceMs: this.#patienceMs });
  }

  #letGo(): void {
    this.#asking?.open();
    this.#asking = null;
  }
}

/** What somebody else met is no news. */
export class StillAway extends Error {
  constructor(cause: unknown) {
    super('The server does not answer', { cause });
  }
}

function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
