import { afterEach, describe, expect, test, vi } from 'vitest';
import { workUntilDone } from '../../src/engine/work-loop.ts';
import type { Claim, ClaimReply } from '../../src/store/work.ts';

const JOB = { documentId: 'a.md', textSha256: 't', task: 'x', model: 'm', repeat: 0 };

function claimOf(token: string): ClaimReply {
  const work = { kind: 'finish', answers: [] } as const;
  const claim: Claim = { token, runId: 'r', stepId: 1, job: { ...JOB, jobId: token }, claimedAtMs: 0, deadlineAtMs: 1, work };
  return { kind: 'claimed', claim };
}

/** A store that gives these replies in order, the last one for ever. */
function replies(...list: ClaimReply[]): { claim: () => Promise<ClaimReply>; asked: () => number } {
  let asked = 0;
  const claim = async (): Promise<ClaimReply> => {
    const reply = list[Math.min(asked, list.length - 1)];
    asked += 1;
    if (reply === undefined) throw new Error('no replies');
    return reply;
  };
  return { claim, asked: () => asked };
}

type WorkLoop = Parameters<typeof workUntilDone>[0];
type Overrides = Partial<WorkLoop> & Pick<WorkLoop, 'handle'> & { readonly store: { readonly claim: WorkLoop['claim'] } };

function run({ store, ...overrides }: Overrides): ReturnType<typeof workUntilDone> {
  return workUntilDone({
    claim: store.claim,
    concurrency: 2,
    stop: new AbortController().signal,
    now: Date.now,
    maxWaitMs: 120_000,
    ...overrides,
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the work loop', () => {
  test('ends when no step is open', async () => {
    const handled: string[] = [];
    const handle = async ({ token }: Claim): Promise<void> => void handled.push(token);
    const end = await run({ store: replies(claimOf('a'), claimOf('b'), { kind: 'drained' }), handle });
    expect(end).toEqual({ kind: 'drained' });
    expect(handled).toEqual(['a', 'b']);
  });

  test('looks for work as soon as the store says that there may be some, also when it said so during a claim', async () => {
    vi.useFakeTimers();
    const store = replies(
      { kind: 'busy', untilMs: null },
      { kind: 'busy', untilMs: null },
      { kind: 'busy', untilMs: null },
      { kind: 'drained' },
    );
    const told: (() => void)[] = [];
    let watched = true;
    const ending = run({
      store: {
        claim: () => {
          if (store.asked() === 1) told[0]?.();
          return store.claim();
        },
      },
      handle: async () => undefined,
      watchWork: (onWork) => {
        told.push(onWork);
        return () => {
          watched = false;
        };
      },
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(store.asked()).toBe(1);
    told[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.asked()).toBe(3);
    told[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(await ending).toEqual({ kind: 'drained' });
    expect(watched).toBe(false);
  });

  test('never holds more claims than its concurrency', async () => {
    let running = 0;
    let most = 0;
    const handle = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const claims = Array.from({ length: 20 }, (_, index) => claimOf(`c${index}`));
    await run({ store: replies(...claims, { kind: 'drained' }), handle, concurrency: 3 });
    expect(most).toBe(3);
  });

  test('asks again after its own work ended, although the run looked drained while it ran', async () => {
    const store = replies(claimOf('a'), { kind: 'drained' }, claimOf('reask'), { kind: 'drained' });
    const handled: string[] = [];
    const handle = async ({ token }: Claim): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      handled.push(token);
    };
    await run({ store, handle });
    expect(handled).toEqual(['a', 'reask']);
  });

  test('ends blocked when every lane that work waits for is paused', async () => {
    const waiting = [{ why: 'lane_paused', laneId: 'l', count: 3, untilMs: null, message: 'bad key' } as const];
    const end = await run({ store: replies({ kind: 'blocked', blockedBy: waiting, untilMs: null }), handle: async () => undefined });
    expect(end).toEqual({ kind: 'blocked', waiting });
  });

  test('ends blocked when a pause is longer than anyone should wait, and stays for it where it is told to', async () => {
    const waiting = [{ why: 'lane_paused', laneId: 'l', count: 3, untilMs: 200_000, message: 'slow down' } as const];
    const blocked: ClaimReply = { kind: 'blocked', blockedBy: waiting, untilMs: 1001 };
    const handle = async (): Promise<void> => undefined;
    expect(await run({ store: replies(blocked), handle, now: () => 1000 })).toEqual({ kind: 'blocked', waiting });
    const stays = { store: replies(blocked, { kind: 'drained' }), handle, now: () => 1000, maxWaitMs: Number.POSITIVE_INFINITY };
    expect(await run(stays)).toEqual({ kind: 'drained' });
  });

  test.each([
    ['while it waits', setImmediate],
    ['while it asks what there is to do', (abort: () => void) => abort()],
  ])('leaves at once when it is stopped %s', async (_title, soon) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stop = new AbortController();
    const waiting = [{ why: 'lane_paused', laneId: 'l', count: 3, untilMs: 1e12, message: null } as const];
    const store = replies({ kind: 'blocked', blockedBy: waiting, untilMs: 1e12 });
    const claim = async (): Promise<ClaimReply> => {
      soon(() => stop.abort());
      return await store.claim();
    };
    const patient = { now: () => 0, maxWaitMs: Number.POSITIVE_INFINITY, stop: stop.signal };
    // With its clock standing still no wait of its own can end it.
    expect(await run({ store: { claim }, handle: async () => undefined, ...patient })).toEqual({ kind: 'interrupted' });
    expect(store.asked()).toBe(1);
  });

  test('looks again at the time the store names', async () => {
    const blocked: ClaimReply = { kind: 'blocked', blockedBy: [], untilMs: 1005 };
    const store = replies(blocked, { kind: 'drained' });
    const end = await run({ store, handle: async () => undefined, now: () => 1000 });
    expect(end).toEqual({ kind: 'drained' });
    expect(store.asked()).toBe(2);
  });

  test('claims nothing once it is stopped, and waits for what is running', async () => {
    const stop = new AbortController();
    let finished = false;
    const handle = async (): Promise<void> => {
      stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
      finished = true;
    };
    const store = replies(claimOf('a'));
    const end = await run({ store, handle, stop: stop.signal, concurrency: 1 });
    expect(end).toEqual({ kind: 'interrupted' });
    expect(finished).toBe(true);
    expect(store.asked()).toBe(1);
  });

  test('a refused claim ends the loop with its error, after what was running is done and recorded; the first error is told', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    let recorded = false;
    const claim = async (): Promise<ClaimReply> => {
      asked += 1;
      if (asked === 1) return claimOf('a');
      setImmediate(release);
      throw new Error('leases are no longer renewed');
    };
    const handle = async (): Promise<void> => {
      await released;
      recorded = true;
      throw new Error('a later one');
    };
    await expect(run({ store: { claim }, handle })).rejects.toThrow('leases are no longer renewed');
    expect({ recorded, asked }).toEqual({ recorded: true, asked: 2 });
  });

  test('a failure of the work itself ends the loop with that failure, after the other claims ended', async () => {
    let other = false;
    const handle = async ({ token }: Claim): Promise<void> => {
      if (token === 'a') throw new Error('disk full');
      await new Promise((resolve) => setImmediate(resolve));
      other = true;
    };
    await expect(run({ store: replies(claimOf('a'), claimOf('b'), { kind: 'busy', untilMs: null }), handle })).rejects.toThrow('disk full');
    expect(other).toBe(true);
  });
});
