import { describe, expect, it } from 'vitest';
import { LONGEST_NAMED_WAIT_MS } from '../../src/domain/duration.ts';
import { retryAfterMs } from '../../src/providers/retry-after.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

function hinted(headers: { readonly [name: string]: string }, body = ''): number | undefined {
  return retryAfterMs({ header: (name) => headers[name] ?? null, body }, NOW);
}

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
    ['Retry after 1.5 hours', 5_400_000],
    ['retry in 250 milliseconds', 250],
    ['{"error":{"details":[{"retryDelay":"34s"}]}}', 34_000],
    ['Try again in 2 days', 172_800_000],
    [`{"error":{"metadata":{"headers":{"X-RateLimit-Limit":"50","X-RateLimit-Reset":"${NOW + 3_600_000}"}}}}`, 3_600_000],
  ])('is read from the words "%s"', (body, expected) => {
    expect(hinted({}, body)).toBe(expected);
  });

  it('is when the limit is reset, where nothing else is said', () => {
    expect(hinted({ 'x-ratelimit-reset': String(NOW + 5000) })).toBe(5000);
    expect(hinted({ 'x-ratelimit-reset': String(NOW + 5000), 'retry-after': '2' })).toBe(2000);
  });

  it.each<[{ readonly [name: string]: string }, string]>([
    [{ 'retry-after': '99999999999999999999' }, ''],
    [{ 'retry-after-ms': '9'.repeat(320) }, ''],
    [{ 'x-ratelimit-reset': '9000000000000000' }, ''],
    [{}, `try again in ${'9'.repeat(320)} days`],
    [{}, 'try again in 99999999999d1h'],
    [{}, `{"retryDelay":"${'9'.repeat(320)}s"}`],
  ])('of any length is a year at most (%j %s)', (headers, body) => {
    expect(hinted(headers, body)).toBe(LONGEST_NAMED_WAIT_MS);
  });

  it('is nothing without any', () => {
    expect(hinted({ 'retry-after': 'later' }, 'too many requests')).toBeUndefined();
  });
});
