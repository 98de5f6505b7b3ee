import { describe, expect, it } from 'vitest';
import { type Meter, NEW_METER, NOTHING_TOLD } from '../../../src/domain/lane/meter.ts';
import { toldMeter, untoldMeter } from '../../../src/domain/lane/told.ts';

const NOW = 1_800_000_000_000;
const TELLING = { nowMs: NOW, grantedAtMs: NOW - 100, stated: null, inFlight: 3 };
const METER: Meter = { ...NEW_METER, atMs: NOW };

describe('toldMeter', () => {
  it('takes the limit, and nine tenths of what a minute still holds less what is under way', () => {
    const { meter, restUntilMs } = toldMeter(METER, { limitPerMinute: 600, remaining: 599, resetMs: 100 }, TELLING);
    expect(meter.told).toEqual({ perMinute: 600, capacity: 0.9 * 599, silent: 0 });
    expect(meter.level).toBeCloseTo(0.9 * 599);
    expect(restUntilMs).toBeNull();
    expect(toldMeter(METER, { limitPerMinute: 600, remaining: 100, resetMs: 50_000 }, { ...TELLING, inFlight: 30 }).meter.level).toBe(70);
  });

  it('believes less than was counted, as far as it came in since', () => {
    const known: Meter = { ...METER, level: 400, told: { perMinute: 600, capacity: 500, silent: 2 } };
    expect(toldMeter(known, { limitPerMinute: 600, remaining: 10, resetMs: 50_000 }, TELLING).meter.level).toBeCloseTo(10 + 1 + 0.99);
    expect(toldMeter(known, { limitPerMinute: 600, remaining: 450, resetMs: 9000 }, TELLING).meter.level).toBe(400);
    expect(toldMeter(known, { limitPerMinute: null, remaining: 450, resetMs: 9000 }, TELLING).meter.told.silent).toBe(0);
  });

  it('waits for the reset when nothing remains', () => {
    const window = { limitPerMinute: 60, remaining: 0, resetMs: 20_000 };
    expect(toldMeter(METER, window, TELLING).restUntilMs).toBe(NOW - 100 + 20_000);
    expect(toldMeter(METER, { ...window, resetMs: 60_000 }, TELLING).restUntilMs).toBeNull();
    expect(toldMeter(METER, { ...window, resetMs: null }, TELLING).restUntilMs).toBeNull();
  });

  it('does not pace by the quota of a day, but waits when it is used up', () => {
    const day = { limitPerMinute: 14_400, remaining: 14_370, resetMs: 180_000 };
    const taken: Meter = { ...METER, told: { perMinute: 14_400, capacity: 1000, silent: 0 } };
    expect(toldMeter(METER, day, TELLING)).toEqual({ meter: METER, restUntilMs: null });
    expect(toldMeter(taken, day, TELLING).meter.told).toEqual(NOTHING_TOLD);
    expect(toldMeter(METER, { ...day, remaining: 0, resetMs: 3_600_000 }, TELLING).restUntilMs).toBe(NOW - 100 + 3_600_000);
  });

  it('learns nothing from headers without a limit', () => {
    expect(toldMeter(METER, { limitPerMinute: null, remaining: 5, resetMs: null }, TELLING).meter).toEqual(METER);
    expect(toldMeter(METER, { limitPerMinute: 0, remaining: 0, resetMs: null }, TELLING).meter).toEqual(METER);
  });
});

describe('untoldMeter', () => {
  it('forgets a limit after three answers in a row without a word of it', () => {
    const told: Meter = { ...METER, told: { perMinute: 600, capacity: 500, silent: 0 } };
    const twice = untoldMeter(untoldMeter(told));
    expect(twice.told).toEqual({ perMinute: 600, capacity: 500, silent: 2 });
    expect(untoldMeter(twice)).toEqual(METER);
    expect(untoldMeter(METER)).toBe(METER);
  });
});
