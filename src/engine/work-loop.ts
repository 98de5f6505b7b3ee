import PQueue from 'p-queue';
import type { Waiting } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Claim, ClaimReply } from '../store/work.ts';
import { waitsInVain } from './waits-in-vain.ts';

export type WorkEnd =
  /** No step of the run is open. */
  | { readonly kind: 'drained' }
  /** No step of it is open, jobs of its plan are missing, and nobody adds them. */
  | { readonly kind: 'unplanned' }
  /** The run takes no claims: another process paused, finished or cancelled it. */
  | { readonly kind: 'stopped' }
  /** What is left waits for a person, or for longer than anyone should wait. */
  | { readonly kind: 'blocked'; readonly waiting: readonly Waiting[] }
  /** `stop` was signalled. */
  | { readonly kind: 'interrupted' };

export type WorkLoop = {
  readonly claim: () => Promise<ClaimReply>;
  /** Claims that this process works on at once. */
  readonly concurrency: number;
  /** Works a claim to its end. Whatever it throws ends the loop. */
  readonly handle: (claim: Claim) => Promise<void>;
  readonly stop: AbortSignal;
  readonly now: () => number;
  /** The longest that is waited for anything but a running call; endless where somebody stays for whatever names a time. */
  readonly maxWaitMs: number;
  /** Calls back when there may be work that others brought, as `Store.watchWork` does: a pause ends then. */
  readonly watchWork?: Store['watchWork'];
  /** How long to pause where nothing is expected soon; `null`, or absent: no longer than `POLL_MS`. */
  readonly idlePauseMs?: () => number | null;
};

/** Other processes' work is seen at this rate at the latest: the store is polled, never trusted to call back. */
export const POLL_MS = 1000;

/**
 * Claims and works until nothing is left to do here. The pool only bounds: a claim is taken when a slot is free and never
 * before, so nothing that is leased waits in memory.
 */
export async function workUntilDone(loop: WorkLoop): Promise<WorkEnd> {
  const pool = new PQueue({ concurrency: loop.concurrency });
  const progress: Progress = { news: 0, onNews: null, errors: [] };
  const tellNews = (): void => {
    progress.news += 1;
    progress.onNews?.();
  };
  pool.on('next', tellNews);
  const unwatch = loop.watchWork?.(tellNews);
  const end = await claimLoop(loop, pool, progress).catch((error: unknown) => {
    progress.errors.push(error);
    return INTERRUPTED;
  });
  unwatch?.();
  await pool.onIdle();
  if (progress.errors.length > 0) throw progress.errors[0];
  return end;
}

type Progress = {
  /** How often a claim was worked to its end here, or others may have brought work, so that what comes during a claim is not missed. */
  news: number;
  onNews: (() => void) | null;
  readonly errors: unknown[];
};

const INTERRUPTED: WorkEnd = { kind: 'interrupted' };

async function claimLoop(loop: WorkLoop, pool: PQueue, progress: Progress): Promise<WorkEnd> {
  while (!loop.stop.aborted && progress.errors.length === 0) {
    if (pool.pending >= loop.concurrency) {
      await nextNews(progress, loop.stop, null);
      continue;
    }
    const { news } = progress;
    const reply = await loop.claim();
    if (reply.kind === 'claimed') {
      start(pool, loop, reply.claim, progress);
      continue;
    }
    const end = pool.pending > 0 ? null : endOf(reply, loop);
    if (end !== null) return end;
    if (progress.news === news) await nextNews(progress, loop.stop, pauseMs(reply, loop));
  }
  return INTERRUPTED;
}

function start(pool: PQueue, loop: WorkLoop, claim: Claim, progress: Progress): void {
  pool
    .add(() => loop.handle(claim))
    .catch((error: unknown) => {
      progress.errors.push(error);
    });
}

/** For when nothing runs here: while something does, any reply may change, because a re-ask comes out of an answer, or a lane reopens. */
function endOf(reply: ClaimReply, { now, maxWaitMs }: WorkLoop): WorkEnd | null {
  if (reply.kind === 'drained' || reply.kind === 'unplanned') return { kind: reply.kind };
  if (reply.kind === 'stopped') return { kind: 'stopped' };
  if (reply.kind !== 'blocked' || !waitsInVain(reply.blockedBy, now(), maxWaitMs)) return null;
  return { kind: 'blocked', waiting: reply.blockedBy };
}

function pauseMs(reply: ClaimReply, { now, idlePauseMs }: WorkLoop): number {
  const longestMs = idlePauseMs?.() ?? POLL_MS;
  const untilMs = reply.kind === 'blocked' || reply.kind === 'busy' ? reply.untilMs : null;
  return untilMs === null ? longestMs : Math.min(longestMs, Math.max(1, untilMs - now()));
}

/** Resolves when there is news, when `stop` is signalled, or after `limitMs`. */
function nextNews(progress: Progress, stop: AbortSignal, limitMs: number | null): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      progress.onNews = null;
      stop.removeEventListener('abort', done);
      clearTimeout(timer);
      resolve();
    };
    const timer = limitMs === null ? undefined : setTimeout(done, limitMs);
    progress.onNews = done;
    stop.addEventListener('abort', done);
    // The signal may have come while the store was asked: then no event comes any more.
    if (stop.aborted) done();
  });
}
