import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_NAMED_WAIT_MS, waitMs } from '../../src/domain/duration.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

describe('a wait', () => {
  it.each([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    ['1.5', 1500],
    ['277403', 277_403_000],
    ['20ms', 20],
    ['1.5s', 1500],
    ['6m0s', 360_000],
    ['2m59.56s', 179_560],
    ['1h2m', 3_720_000],
    ['1d', 86_400_000],
    ['1d2h3m4s', 93_784_000],
    ['7m12s', 432_000],
    [String(NOW / 1000 + 30), 30_000],
    [String(NOW + 30_000), 30_000],
    ['Sun, 29 Nov 2026 12:00:45 GMT', 45_000],
    ['2026-11-29T12:01:00Z', 60_000],
    ['Sun, 29 Nov 2026 11:00:00 GMT', 0],
    [' 3 ', 3000],
  ])('of "%s" is %d ms', (text, expected) => {
    expect(waitMs(text, NOW)).toBe(expected);
  });

  it.each([[''], ['-5'], ['NaN'], ['soon'], ['1 2'], ['5x'], ['Infinity'], ['29 Nov'], ['0x10']])('of "%s" says nothing', (text) => {
    expect(waitMs(text, NOW)).toBeUndefined();
  });

  it.each([
    ['99999999999999999999'],
    ['9'.repeat(320)],
    ['9000000000000000'],
    ['99999999999d'],
    [`${'9'.repeat(320)}h`],
    ['9999-12-31T00:00:00Z'],
  ])('of "%s" is as long as a year: nobody waits longer, and a date can still be made of it', (text) => {
    expect(waitMs(text, NOW)).toBe(366 * 86_400_000);
  });

  it('is never NaN and never negative', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wait = waitMs(text, NOW);
        return wait === undefined || (wait >= 0 && wait <= LONGEST_NAMED_WAIT_MS);
      }),
    );
  });
});
