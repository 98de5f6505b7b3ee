import type { RunRow, UnreadableRun, Waiting } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { isReadable, unreadableOf } from '../store/stored-run.ts';
import type { Claim, ClaimReply } from '../store/work.ts';
import { waitsInVain } from './waits-in-vain.ts';
import { POLL_MS, type WorkEnd } from './work-loop.ts';

/** A run that this process can work on. */
export type ReadyRun = {
  /** Claims that this process works on at once while it takes one of this run. */
  readonly concurrency: number;
  /** Works a claim to its end. */
  readonly handle: (claim: Claim) => Promise<void>;
};

export type AllRuns = {
  readonly store: Pick<Store, 'claim' | 'finishRun' | 'allRuns'>;
  readonly workerId: string;
  /** What this machine has. */
  readonly tags: readonly string[];
  readonly now: () => number;
  /** Ends when no run has work that could be done here, now or soon; else it stays for whatever names a time, and for later runs. */
  readonly exitWhenIdle: boolean;
  /** How long to pause after so many looks, from 1, that found nothing; absent: no longer than any other time. */
  readonly idlePauseMs?: (looks: number) => number;
  /** Gets ready for a run, before its first claim. `null`: it cannot be worked on here for now. */
  readonly open: (run: RunRow) => Promise<ReadyRun | null>;
  /** All that is left of a run waits for a person, for too long, or for what this machine has not; told at each look. */
  readonly onBlocked?: (run: RunRow, waiting: readonly Waiting[]) => void;
  /** Hears, with each look, of every unfinished run that this version cannot read. */
  readonly onUnreadable: (run: UnreadableRun) => void;
  /** This process's part in a run, in which it had one, is over. Nothing waits for it but `ended`. */
  readonly onEnd: (run: RunRow, end: WorkEnd) => Promise<void>;
};

/** A run that is being opened is soon open, unless its server does not answer. */
const OPENING_MS = 50;
/** A key, or a server, that is missing may be there later. */
const OPEN_AGAIN_MS = 60_000;

type Tracked = {
  run: RunRow;
  /** `undefined` while it is being opened. */
  opened: ReadyRun | null | undefined;
  /** Not asked for work before. */
  lookAtMs: number;
  /** All that is left waits for a person, or for too long. */
  blocked: readonly Waiting[] | null;
  /** All that is in is done, and nobody adds the rest of its plan. */
  unplanned: boolean;
  /** Claims being worked on here. */
  inFlight: number;
  /** Whether anything was claimed here. */
  touched: boolean;
};

/**
 * The unfinished runs of a store as one source of claims: oldest first, and whatever keeps one of them from going on keeps no other
 * one. To be used by one work loop.
 */
export class RunRotation {
  readonly #all: AllRuns;
  readonly #tracked = new Map<string, Tracked>();
  readonly #ends = new Set<Promise<void>>();
  readonly #errors: unknown[] = [];
  #listAtMs = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  /** Looks in a row that found nothing to do, nor to expect. */
  #idleLooks = 0;

  constructor(all: AllRuns) {
    this.#all = all;
  }

  /** The next claim of any run; `busy` to be asked again, `drained` when there is nothing to stay for. */
  async claim(): Promise<ClaimReply> {
    await this.#list();
    if (this.#errors.length > 0) throw this.#errors[0];
    for (const tracked of [...this.#tracked.values()]) {
      const claim = this.#isDue(tracked) ? await this.#claimOf(tracked) : null;
      if (claim === null) continue;
      this.#idleLooks = 0;
      return { kind: 'claimed', claim };
    }
    const idle = this.#isIdle();
    this.#idleLooks = idle ? this.#idleLooks + 1 : 0;
    if (idle && this.#all.exitWhenIdle) return { kind: 'drained' };
    return { kind: 'busy', untilMs: this.#nextLookMs(idle) };
  }

  /** How long to pause now that nothing was found; `null`: something may come at any moment. */
  idlePauseMs(): number | null {
    return this.#idleLooks === 0 ? null : (this.#all.idlePauseMs?.(this.#idleLooks) ?? null);
  }

  /** Others may have brought work, to any run or in a new one: all are looked at by the next claim. */
  lookAgain(): void {
    this.#listAtMs = Number.NEGATIVE_INFINITY;
    this.#lookAtAll();
  }

  /** Works a claim that came from here to its end. */
  async handle(claim: Claim): Promise<void> {
    const tracked = this.#tracked.get(claim.runId);
    if (tracked?.opened === undefined || tracked.opened === null) throw new Error(`run ${claim.runId} is not open here`);
    try {
      await tracked.opened.handle(claim);
    } finally {
      this.#count(tracked, -1);
      // What ended may have freed a slot, a lane or a key of any run.
      this.#lookAtAll();
    }
  }

  /** Resolves when the end of every run that ended here is dealt with. Throws what kept one from it. */
  async ended(): Promise<void> {
    while (this.#ends.size > 0) await Promise.all(this.#ends);
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  /** The runs that this process had a part in and that are not over. */
  get left(): readonly { readonly run: RunRow; readonly end: WorkEnd | null }[] {
    const left = [...this.#tracked.values()].filter(({ touched }) => touched);
    return left.map(({ run, blocked, unplanned }) => {
      if (unplanned) return { run, end: { kind: 'unplanned' } };
      return { run, end: blocked === null ? null : { kind: 'blocked', waiting: blocked } };
    });
  }

  /** The runs of which all that is left waits for a person or for too long, and not for what this machine lacks. */
  get blocked(): readonly { readonly run: RunRow; readonly waiting: readonly Waiting[] }[] {
    return [...this.#tracked.values()].flatMap(({ run, blocked }) => (blocked === null ? [] : [{ run, waiting: blocked }]));
  }

  /** The runs of which all that is in is done, and nobody adds the rest. */
  get unplanned(): readonly RunRow[] {
    return [...this.#tracked.values()].filter(({ unplanned }) => unplanned).map(({ run }) => run);
  }

  async #list(): Promise<void> {
    const nowMs = this.#all.now();
    if (nowMs - this.#listAtMs < POLL_MS && nowMs >= this.#listAtMs) return;
    this.#listAtMs = nowMs;
    const all = (await this.#all.store.allRuns()).filter(isUnfinished);
    for (const run of unreadableOf(all)) this.#all.onUnreadable(run);
    const unfinished = all.filter(isReadable);
    // The list is newest first.
    for (const run of unfinished.reverse()) {
      const known = this.#tracked.get(run.runId);
      if (known !== undefined) known.run = run;
      else this.#track(run);
    }
    const ids = new Set(unfinished.map(({ runId }) => runId));
    for (const [runId, { touched }] of this.#tracked) if (!touched && !ids.has(runId)) this.#tracked.delete(runId);
  }

  #track(run: RunRow): void {
    const tracked: Tracked = { run, opened: undefined, lookAtMs: 0, blocked: null, unplanned: false, inFlight: 0, touched: false };
    this.#tracked.set(run.runId, tracked);
    this.#open(tracked);
  }

  /** Not waited for: a server that does not answer must not keep other runs waiting. */
  #open(tracked: Tracked): void {
    tracked.opened = undefined;
    this.#all.open(tracked.run).then(
      (opened) => {
        tracked.opened = opened;
        tracked.lookAtMs = opened === null ? this.#all.now() + OPEN_AGAIN_MS : 0;
      },
      (error: unknown) => {
        this.#errors.push(error);
      },
    );
  }

  #lookAtAll(): void {
    for (const tracked of this.#tracked.values()) if (tracked.opened !== null) tracked.lookAtMs = 0;
  }

  #isDue({ lookAtMs, opened }: Tracked): boolean {
    const nowMs = this.#all.now();
    // A clock that was set back must not make a run wait for the difference.
    return opened !== undefined && (lookAtMs <= nowMs || lookAtMs > nowMs + OPEN_AGAIN_MS);
  }

  async #claimOf(tracked: Tracked): Promise<Claim | null> {
    const { opened } = tracked;
    if (opened === undefined) return null;
    if (opened === null) {
      this.#open(tracked);
      return null;
    }
    if (this.#inFlight >= opened.concurrency) return null;
    const { store, workerId, tags, now } = this.#all;
    const reply = await store.claim({ runId: tracked.run.runId, workerId, tags });
    tracked.unplanned = reply.kind === 'unplanned';
    if (reply.kind === 'claimed') {
      tracked.touched = true;
      tracked.blocked = null;
      this.#count(tracked, 1);
      return reply.claim;
    }
    tracked.lookAtMs = now() + POLL_MS;
    if (reply.kind === 'unplanned') tracked.blocked = null;
    else if (reply.kind === 'blocked' || reply.kind === 'busy') this.#wait(tracked, reply);
    else if (tracked.inFlight === 0) await this.#end(tracked, reply);
    return null;
  }

  #wait(tracked: Tracked, reply: Extract<ClaimReply, { kind: 'blocked' | 'busy' }>): void {
    const { now, exitWhenIdle, onBlocked } = this.#all;
    const maxWaitMs = exitWhenIdle ? tracked.run.settings.retry.maxWaitMs : Number.POSITIVE_INFINITY;
    tracked.blocked = reply.kind === 'blocked' && waitsInVain(reply.blockedBy, now(), maxWaitMs) ? reply.blockedBy : null;
    if (tracked.blocked !== null && tracked.inFlight === 0) onBlocked?.(tracked.run, tracked.blocked);
    if (reply.untilMs !== null) tracked.lookAtMs = Math.min(tracked.lookAtMs, reply.untilMs);
  }

  async #end(tracked: Tracked, reply: Extract<ClaimReply, { kind: 'drained' | 'stopped' }>): Promise<void> {
    const { run, touched } = tracked;
    const finished = reply.kind === 'drained' && (await this.#all.store.finishRun(run.runId));
    this.#tracked.delete(run.runId);
    if (touched || finished) this.#tellEnd(run, { kind: reply.kind });
  }

  /** Not waited for: writing a run's files may take long, and claims of other runs go on meanwhile. */
  #tellEnd(run: RunRow, end: WorkEnd): void {
    const ending = this.#all
      .onEnd(run, end)
      .catch((error: unknown) => {
        this.#errors.push(error);
      })
      .finally(() => this.#ends.delete(ending));
    this.#ends.add(ending);
  }

  #count(tracked: Tracked, change: 1 | -1): void {
    tracked.inFlight += change;
    this.#inFlight += change;
  }

  #isIdle(): boolean {
    if (this.#inFlight > 0) return false;
    return [...this.#tracked.values()].every(({ opened, blocked, unplanned }) => opened === null || blocked !== null || unplanned);
  }

  #nextLookMs(idle: boolean): number | null {
    const times = [...this.#tracked.values()].flatMap(({ opened, blocked, unplanned, lookAtMs }) => {
      // What waits for a person is looked at as often as for new runs.
      if (idle && (blocked !== null || unplanned)) return [];
      if (opened === undefined) return [this.#all.now() + OPENING_MS];
      // With all slots taken the end of a claim is waited for.
      return opened !== null && this.#inFlight >= opened.concurrency ? [] : [lookAtMs];
    });
    return times.length === 0 ? null : Math.min(...times);
  }
}

function isUnfinished({ state }: Pick<RunRow, 'state'>): boolean {
  return state === 'open' || state === 'planning';
}
