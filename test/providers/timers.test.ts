import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CallTimers, startTimers } from '../../src/providers/timers.ts';

const LIMITS = { connectMs: 100, firstTokenMs: 1000, idleMs: 300, totalMs: 10_000 };
let ended = 0;

beforeEach(() => {
  vi.useFakeTimers();
  ended = 0;
});

afterEach(() => vi.useRealTimers());

function start(streaming = true, limits = LIMITS): CallTimers {
  return startTimers(limits, streaming, () => {
    ended += 1;
  });
}

async function passes(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

describe('the timers of a call', () => {
  it('give the connection, the first token and each pause their own limit', async () => {
    const timers = start();
    await passes(90);
    timers.sent();
    await passes(990);
    for (let i = 0; i < 5; i += 1) {
      timers.content();
      await passes(290);
    }
    expect(timers.expired()).toBeNull();
    await passes(20);
    expect(timers.expired()).toEqual({ timer: 'idle', limitMs: 300 });
    expect(ended).toBe(1);
  });

  it('end a call that never connects, and only once', async () => {
    const timers = start();
    await passes(20_000);
    expect(timers.expired()).toEqual({ timer: 'connect', limitMs: 100 });
    expect(ended).toBe(1);
  });

  it('end a call that talks for ever', async () => {
    const timers = start();
    timers.sent();
    for (let i = 0; i < 100; i += 1) {
      timers.content();
      await passes(110);
    }
    expect(timers.expired()).toEqual({ timer: 'total', limitMs: 10_000 });
  });

  it('wait for the tail of a whole answer 5 s at most', async () => {
    const timers = start(true, { ...LIMITS, idleMs: 60_000, totalMs: 600_000 });
    timers.sent();
    timers.finished();
    await passes(4990);
    expect(timers.expired()).toBeNull();
    await passes(20);
    expect(timers.expired()).toMatchObject({ timer: 'idle' });
  });

  it('wait for that tail once, whatever comes in it', async () => {
    const timers = start(true, { ...LIMITS, idleMs: 60_000, totalMs: 600_000 });
    timers.sent();
    timers.content();
    for (let i = 0; i < 10; i += 1) {
      timers.finished();
      await passes(510);
    }
    expect(timers.expired()).toMatchObject({ timer: 'idle', limitMs: 5000 });
  });

  it('look again before they ring, so that bytes read late in a blocked loop count', async () => {
    const timers = start();
    timers.sent();
    timers.content();
    vi.advanceTimersByTime(300);
    timers.content();
    await passes(290);
    expect(timers.expired()).toBeNull();
    timers.stop();
  });

  it('leave nothing running after the stop', async () => {
    const timers = start();
    timers.sent();
    timers.stop();
    timers.content();
    expect(vi.getTimerCount()).toBe(0);
    await passes(20_000);
    expect(ended).toBe(0);
  });
});
