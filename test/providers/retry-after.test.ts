import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs, waitMs } from '../../src/providers/retry-after.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

function hinted(headers: { readonly [name: string]: string }, body = ''): number | undefined {
  return retryAfterMs({ header: (name) => headers[name] ?? null, body }, NOW);
}

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

  it('is never NaN and never negative', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wait = waitMs(text, NOW);
        return wait === undefined || wait >= 0;
      }),
    );
  });
});

describe('the hint of a response', () => {
  it('is the finer header when both are there', () => {
    expect(hinted({ 'retry-after': '2', 'retry-after-ms': '1250' })).toBe(1250);
  });

  it('is the coarser header when the finer one cannot be read', () => {
    expect(hinted({ 'retry-after': '2', 'retry-after-ms': 'soon' })).toBe(2000);
  });

  it.each([
    ['Rate limit reached … Please try again in 644ms.', 644],
    ['Please try again in 6m12.5s. Visit', 372_500],
    ['Please retry in 34.07s', 34_070],
    ['Please retry after 33 seconds.', 33_000],
    ['try again in 2 minutes', 120_000],
    ['{"error":{"details":[{"retryDelay":"34s"}]}}', 34_000],
  ])('is read from the words "%s"', (body, expected) => {
    expect(hinted({}, body)).toBe(expected);
  });

  it('is nothing without any', () => {
    expect(hinted({ 'retry-after': 'later' }, 'too many requests')).toBeUndefined();
  });
});
