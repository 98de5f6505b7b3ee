import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flowOf, givenBack, levelAt, type Meter, NEW_METER, readyAtMs, sent, taken } from '../../../src/domain/lane/meter.ts';
import { LONGEST_WAIT_MS } from '../../../src/domain/retry.ts';

const NOW = 1_800_000_000_000;

function meter(changes: Partial<Meter> = {}): Meter {
  return { ...NEW_METER, level: 0, atMs: NOW, ...changes };
}

function flow(of: Meter, stated: number | null) {
  const known = flowOf(of, stated);
  if (known === null) throw new Error('no limit is known');
  return known;
}

describe('flowOf', () => {
  it('knows nothing without a limit, and keeps below the lowest one', () => {
    const told = { perMinute: 300, capacity: null, silent: 0 };
    const found = { perMinute: 120, ceilingPerMinute: null, sincePerMinute: 120 };
    expect(flowOf(meter(), null)).toBeNull();
    expect(flowOf(meter(), 600)?.perMs).toBeCloseTo(0.0099);
    expect(flowOf(meter({ told }), 600)?.perMs).toBeCloseTo(0.00495);
    expect(flowOf(meter({ told, found }), 600)?.perMs).toBeCloseTo(0.002);
  });

  it('holds half a second and what comes in while somebody wakes, one unit at least, and never a whole second', () => {
    expect([30, 60, 120, 600, 6000].map((stated) => flowOf(meter(), stated)?.capacity)).toEqual([1, 1, 1.12, 5.6, 56]);
  });

  it('holds what headers showed only where their limit is the lowest', () => {
    const told = { perMinute: 600, capacity: 500, silent: 0 };
    expect(flowOf(meter({ told }), null)?.capacity).toBe(500);
    expect(flowOf(meter({ told }), 60)?.capacity).toBe(1);
  });
});

describe('readyAtMs', () => {
  it('lets a caller through that wakes exactly then, and nobody a millisecond earlier', () => {
    const request = fc.record({
      stated: fc.integer({ min: 1, max: 2_000_000 }),
      level: fc.double({ min: -5000, max: 5000, noNaN: true }),
      need: fc.integer({ min: 1, max: 50_000 }),
    });
    fc.assert(
      fc.property(request, ({ stated, level, need }) => {
        const full = flow(meter(), stated);
        const stored = meter({ level: Math.max(level, full.capacity - full.perMs * 300_000) });
        const readyMs = readyAtMs(NOW, stored, full, need);
        if (readyMs === null) return;
        expect(Number.isInteger(readyMs)).toBe(true);
        expect(readyMs).toBeGreaterThan(NOW);
        expect(readyAtMs(readyMs, stored, full, need)).toBeNull();
        if (readyMs > NOW + 1) expect(readyAtMs(readyMs - 1, stored, full, need)).toBe(readyMs);
      }),
    );
  });

  it('lets a need beyond the bucket through when it is full, and makes it a debt', () => {
    const rate = flow(meter(), 60_000);
    expect(readyAtMs(NOW, meter({ level: rate.capacity }), rate, 20_000)).toBeNull();
    expect(taken(NOW, meter({ level: rate.capacity }), rate, 20_000).level).toBeCloseTo(560 - 20_000);
  });

  it('does not block for long, nor turn time back, when the clock was set back', () => {
    const rate = flow(meter(), 600);
    const ahead = meter({ level: -3, atMs: NOW + 86_400_000 });
    expect(readyAtMs(NOW, ahead, rate, 1)).toBeNull();
    expect(levelAt(NOW, meter({ level: 2, atMs: NOW + 500 }), rate)).toBe(2);
  });

  it('never says to wait longer than anybody waits', () => {
    expect(readyAtMs(NOW, meter({ level: -1e9 }), flow(meter(), 1), 1)).toBe(NOW + LONGEST_WAIT_MS);
  });
});

describe('sent', () => {
  it('lets the next request come no earlier after a late one than after a punctual one', () => {
    const rate = flow(meter(), 60);
    const granted = taken(NOW, meter({ level: 1 }), rate, 1);
    const left = sent(NOW + 400, granted, rate, { units: 1, leastLagMs: 5 });
    expect(readyAtMs(NOW + 400, left, rate, 1)).toBe(Math.ceil(NOW + 400 + 60_000 / 59.4 - 5));
  });

  it('counts what left since the window began', () => {
    expect(sent(NOW, meter({ window: { sinceMs: NOW - 9, accepted: 3 } }), null, { units: 2, leastLagMs: 0 }).window).toEqual({
      sinceMs: NOW - 9,
      accepted: 5,
    });
  });
});

describe('taken', () => {
  it('begins another window after a pause, and not while it paces', () => {
    const rate = flow(meter(), 60);
    const window = { sinceMs: NOW - 60_000, accepted: 50 };
    expect(taken(NOW + 3500, meter({ window }), rate, 1).window).toEqual({ sinceMs: NOW + 3500, accepted: 0 });
    expect(taken(NOW + 1100, meter({ window }), rate, 1).window).toEqual(window);
  });

  it('tells whether the level held the lane up', () => {
    const rate = flow(meter(), 60);
    expect([1015, 1500].map((ms) => taken(NOW + ms, meter(), rate, 1).held)).toEqual([true, false]);
  });

  it('never admits more in any time than the burst and what comes in', () => {
    const steps = fc.array(fc.record({ pauseMs: fc.integer({ min: 0, max: 400 }), need: fc.integer({ min: 1, max: 400 }) }), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 600, max: 100_000 }), (calls, stated) => {
        const rate = flow(meter(), stated);
        let [state, nowMs, admitted, lastNeed] = [meter({ level: rate.capacity }), NOW, 0, 0];
        for (const { pauseMs, need } of calls) {
          nowMs += pauseMs;
          if (readyAtMs(nowMs, state, rate, need) !== null) continue;
          state = taken(nowMs, state, rate, need);
          admitted += need;
          lastNeed = Math.max(lastNeed, need);
        }
        expect(admitted).toBeLessThanOrEqual(rate.capacity + (nowMs - NOW) * rate.perMs + lastNeed + 1e-6);
      }),
    );
  });
});

describe('givenBack', () => {
  it('fills the bucket to its brim only', () => {
    const rate = flow(meter(), 600);
    expect(givenBack(NOW, meter({ level: 2 }), rate, 1).level).toBe(3);
    expect(givenBack(NOW, meter({ level: 5 }), rate, 9).level).toBe(5.6);
    expect(givenBack(NOW, meter({ level: 2 }), rate, -9).level).toBe(-7);
  });

  it('leaves no debt that anybody would wait for longer than for a server', () => {
    const rate = flow(meter(), 60_000);
    const absurd = givenBack(NOW, meter({ level: 2 }), rate, -1e12);
    expect(readyAtMs(NOW + LONGEST_WAIT_MS, absurd, rate, 500)).toBeNull();
    expect(levelAt(NOW + LONGEST_WAIT_MS, absurd, rate)).toBeCloseTo(rate.capacity);
  });
});
