import { afterEach, describe, expect, it } from 'vitest';
import { renewLeases } from '../../../../src/store/sqlite/workers/renew.ts';
import type { Claim } from '../../../../src/store/work.ts';
import { Bench, Clock } from '../../bench.ts';
import { failure, job, TTL_MS } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const HOUR_MS = 3_600_000;
const BEAT_MS = 15_000;

/** Two processes on one file: one wall clock, which may jump, and a clock of each that only goes forward. */
describe('when the clock jumps', () => {
  let opened: SqliteBench;
  let here: Bench;
  let there: Bench;
  let wall: Clock;
  let monotonicMs: number;
  afterEach(() => opened.dispose());

  async function open(): Promise<void> {
    wall = new Clock();
    monotonicMs = 0;
    const monotonic = () => monotonicMs;
    opened = await openTempStore(wall.read, { monotonic });
    here = new Bench(opened.store, wall);
    there = new Bench(await opened.another({ monotonic }), wall);
    await here.plan('r1', [job('j1', 0)]);
  }

  /** Real time, by which both clocks go. */
  function pass(ms: number): void {
    wall.pass(ms);
    monotonicMs += ms;
  }

  function beat(workerId: string, jumpMs: number, elapsedMs: number): void {
    renewLeases(opened.db, { workerId, nowMs: wall.nowMs, jumpMs, elapsedMs });
  }

  const seenFromThere = () => there.claim('r1', 'w2');
  const deadline = () => opened.db.prepare('SELECT deadline_at_ms FROM steps').pluck().get();

  async function working(): Promise<Claim> {
    await open();
    const claim = await here.claimed('r1', 'w1');
    await here.call(claim);
    expect((await seenFromThere()).kind).toBe('busy');
    pass(BEAT_MS);
    beat('w1', 0, BEAT_MS);
    return claim;
  }

  it.each([
    ['six hours ahead', 6 * HOUR_MS],
    ['an hour back', -HOUR_MS],
  ])('%s, nobody takes the step of a worker that lives, and its deadline moves with the clock', async (_, jumpMs) => {
    const claim = await working();
    wall.pass(jumpMs);
    for (let second = 0; second < 3; second += 1) {
      pass(1000);
      expect((await seenFromThere()).kind).toBe('busy');
    }
    beat('w1', jumpMs, 3000);
    expect(deadline()).toBe(claim.deadlineAtMs + jumpMs);
    for (let beats = 0; beats < 6; beats += 1) {
      pass(BEAT_MS);
      beat('w1', 0, BEAT_MS);
      expect((await seenFromThere()).kind).toBe('busy');
    }
    expect(await here.accept(claim)).toMatchObject({ applied: true });
  });

  it.each([
    ['six hours ahead', 6 * HOUR_MS],
    ['an hour back', -HOUR_MS],
  ])('%s, the step of a silent worker is taken over within its lease time', async (_, jumpMs) => {
    const claim = await working();
    wall.pass(jumpMs);
    expect((await seenFromThere()).kind).toBe('busy');
    pass(TTL_MS);
    expect(await seenFromThere()).toMatchObject({ kind: 'claimed', claim: { work: { kind: 'judge', callToken: claim.token } } });
    expect(await here.accept(claim)).toEqual({ applied: false });
  });

  it('a worker that claims after the jump loses nothing of its own', async () => {
    const claim = await working();
    wall.pass(6 * HOUR_MS);
    expect((await here.claim('r1', 'w1')).kind).toBe('busy');
    expect(await here.accept(claim)).toMatchObject({ applied: true });
  });

  it('back, a lease that was given after the jump keeps its deadline', async () => {
    await open();
    wall.pass(-HOUR_MS);
    const claim = await here.claimed('r1', 'w1');
    beat('w1', -HOUR_MS, BEAT_MS);
    expect(deadline()).toBe(claim.deadlineAtMs);
  });

  it('an hour back, nobody waits an hour for a backoff of seconds', async () => {
    await open();
    const claim = await here.claimed('r1', 'w1');
    await here.store.markSent(claim.token);
    await here.store.settle(claim.token, {
      kind: 'failed',
      callToken: claim.token,
      failure: failure(),
      call: { state: 'settled', usage: null, costNanoUsd: 0 },
    });
    expect((await seenFromThere()).kind).toBe('blocked');
    wall.pass(-HOUR_MS);
    expect((await seenFromThere()).kind).toBe('claimed');
  });

  it('an hour back, no lane rests for an hour', async () => {
    await open();
    await here.store.addJobs('r1', [job('j2', 1)]);
    await here.fail(await here.claimed('r1', 'w1'), failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 30_000 }));
    expect(await seenFromThere()).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'lane_cooldown' }, { why: 'backoff' }] });
    wall.pass(-HOUR_MS);
    expect((await seenFromThere()).kind).toBe('claimed');
  });

  it('ahead between claim and call, the step is given back and claimed again, uncounted', async () => {
    await open();
    const claim = await here.claimed('r1', 'w1');
    wall.pass(6 * HOUR_MS);
    expect(await here.store.markSent(claim.token)).toBe(false);
    expect(await here.claimed('r1', 'w1')).toMatchObject({ work: { kind: 'call', attempts: 0 } });
  });
});

describe('a frozen worker', () => {
  it('loses its step one lease time after another process first looked, when that process started late', async () => {
    const clock = new Clock();
    const opened = await openTempStore(clock.read);
    const here = new Bench(opened.store, clock);
    await here.plan('r1', [job('j1', 0)]);
    const claim = await here.claimed('r1', 'w1');
    clock.pass(10 * TTL_MS);
    const late = new Bench(await opened.another(), clock);
    expect((await late.claim('r1', 'w2')).kind).toBe('busy');
    clock.pass(TTL_MS - 1);
    expect((await late.claim('r1', 'w2')).kind).toBe('busy');
    clock.pass(1);
    expect((await late.claim('r1', 'w2')).kind).toBe('claimed');
    expect(await here.store.markSent(claim.token)).toBe(false);
    await opened.dispose();
  });
});
