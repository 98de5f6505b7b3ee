import { expect, test } from 'vitest';
import { RateMeter } from '../../../src/cli/display/rate.ts';
import { sampleModel, sampleTotals } from '../sample-run.ts';

const MINUTE = 60_000;

function totals(...models: { model: string; total: number; open: number; cached?: number }[]) {
  return sampleTotals({
    byModel: models.map(({ model, total, open, cached = 0 }) =>
      sampleModel({ model, total, queued: open, running: 0, cached, cancelled: 0 }),
    ),
  });
}

test('the first minute says nothing, unless twenty jobs were called', () => {
  const meter = new RateMeter();
  const at = (ms: number, open: number) => {
    const now = totals({ model: 'fast', total: 100, open });
    meter.add(ms, now);
    return meter.pace(now);
  };
  expect(at(0, 100)).toEqual({ jobsPerMinute: null, etaSeconds: null, etaAtLeastSeconds: null });
  expect(at(10_000, 81)).toMatchObject({ jobsPerMinute: null, etaSeconds: null });
  expect(at(20_000, 80)).toMatchObject({ jobsPerMinute: 60, etaSeconds: 80 });
});

test('the end is that of the slowest model, and cached jobs do not count as speed', () => {
  const meter = new RateMeter();
  meter.add(0, totals({ model: 'fast', total: 100, open: 100 }, { model: 'slow', total: 100, open: 100 }));
  const later = totals({ model: 'fast', total: 100, open: 20, cached: 40 }, { model: 'slow', total: 100, open: 90 });
  meter.add(MINUTE, later);
  expect(meter.pace(later)).toMatchObject({ jobsPerMinute: 50, etaSeconds: 540 });
});

test('a model that has not moved makes the end unknown, and that of the others the least', () => {
  const meter = new RateMeter();
  meter.add(0, totals({ model: 'fast', total: 50, open: 50 }, { model: 'stuck', total: 5, open: 5 }));
  const later = totals({ model: 'fast', total: 50, open: 10 }, { model: 'stuck', total: 5, open: 5 });
  meter.add(MINUTE, later);
  expect(meter.pace(later)).toMatchObject({ jobsPerMinute: 40, etaSeconds: null, etaAtLeastSeconds: 15 });
});

test('the pace is that of the last five minutes', () => {
  const meter = new RateMeter();
  for (let minute = 0; minute <= 10; minute += 1)
    meter.add(minute * MINUTE, totals({ model: 'fast', total: 1000, open: 1000 - 100 * minute }));
  for (let minute = 11; minute <= 15; minute += 1)
    meter.add(minute * MINUTE, totals({ model: 'fast', total: 1000, open: 10 - minute + 10 - 10 }));
  const now = totals({ model: 'fast', total: 1000, open: 0 });
  expect(meter.pace(now).jobsPerMinute).toBeLessThan(2);
});

test('a single look counts from the start that is known', () => {
  const meter = new RateMeter(0);
  const now = totals({ model: 'fast', total: 40, open: 10 });
  meter.add(2 * MINUTE, now);
  expect(meter.pace(now)).toMatchObject({ jobsPerMinute: 15, etaSeconds: 40 });
});

test('while nothing runs the end comes after the longest wait, and is unknown where that is', () => {
  const waitOf = (untilMs: number | null) => ({ why: 'lane_paused', laneId: 'l', count: 10, untilMs, message: null }) as const;
  const paceOf = (running: number, ...untils: (number | null)[]) => {
    const meter = new RateMeter(0);
    const now = totals({ model: 'fast', total: 40, open: 10 });
    const seen = { ...now, jobs: { ...now.jobs, running }, waiting: untils.map(waitOf) };
    meter.add(2 * MINUTE, seen);
    return meter.pace(seen).etaSeconds;
  };
  expect(paceOf(0, 62 * MINUTE)).toBe(40 + 3600);
  expect(paceOf(0, 3 * MINUTE, 62 * MINUTE)).toBe(40 + 3600);
  expect(paceOf(0, MINUTE)).toBe(40);
  expect(paceOf(0, 62 * MINUTE, null)).toBeNull();
  expect(paceOf(1, 62 * MINUTE)).toBe(40);
});
