import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RateReport } from '../../src/domain/lane/lane.ts';
import { readRateHeaders } from '../../src/pacing/rate-headers.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');

function read(headers: { readonly [name: string]: string }): RateReport | null {
  return readRateHeaders((name) => headers[name] ?? null, NOW);
}

function openAi(unit: string, limit: string, remaining: string, reset: string): { readonly [name: string]: string } {
  return {
    [`x-ratelimit-limit-${unit}`]: limit,
    [`x-ratelimit-remaining-${unit}`]: remaining,
    [`x-ratelimit-reset-${unit}`]: reset,
  };
}

function anthropic(unit: string, limit: string, remaining: string, reset: string): { readonly [name: string]: string } {
  const prefix = `anthropic-ratelimit-${unit}`;
  return { [`${prefix}-limit`]: limit, [`${prefix}-remaining`]: remaining, [`${prefix}-reset`]: reset };
}

describe('rate headers', () => {
  it('of OpenAI tell both limits, what remains and when all is there again', () => {
    expect(read({ ...openAi('requests', '5000', '4999', '12ms'), ...openAi('tokens', '150000', '149984', '6m0s') })).toEqual({
      requests: { limitPerMinute: 5000, remaining: 4999, resetMs: 12 },
      tokens: { limitPerMinute: 150_000, remaining: 149_984, resetMs: 360_000 },
    });
  });

  it.each([
    ['1h2m', 3_720_000],
    ['2m59.56s', 179_560],
    ['1.5s', 1500],
    ['20ms', 20],
    ['0s', 0],
    ['7', 7000],
    ['soon', null],
  ])('read a reset of %s', (reset, resetMs) => {
    expect(read(openAi('tokens', '100', '50', reset))?.tokens?.resetMs).toBe(resetMs);
  });

  it('of Azure have whole seconds, and -1 and 0 where it knows nothing', () => {
    expect(read({ ...openAi('requests', '10', '8', '12'), ...openAi('tokens', '-1', '-1', '0') })).toEqual({
      requests: { limitPerMinute: 10, remaining: 8, resetMs: 12_000 },
      tokens: null,
    });
    expect(read({ ...openAi('requests', '0', '0', '0'), ...openAi('tokens', '-1', '0', '0') })).toBeNull();
    expect(read(openAi('requests', '10', '-1', '0'))?.requests).toEqual({ limitPerMinute: 10, remaining: null, resetMs: 0 });
  });

  it('of Groq have a limit of requests that is of a day, so that it says nothing about a minute', () => {
    expect(read({ ...openAi('requests', '14400', '14370', '2m59.56s'), ...openAi('tokens', '18000', '17997', '7.66s') })).toEqual({
      requests: { limitPerMinute: null, remaining: 14_370, resetMs: 179_560 },
      tokens: { limitPerMinute: 18_000, remaining: 17_997, resetMs: 7660 },
    });
    expect(read(openAi('requests', '10000', '9999', '8.64s'))?.requests?.limitPerMinute).toBeNull();
    expect(read(openAi('requests', '1000', '1000', '3h'))?.requests?.limitPerMinute).toBeNull();
  });

  it('with a bucket smaller than its limit are of a minute', () => {
    expect(read(openAi('requests', '600', '9', '100ms'))?.requests?.limitPerMinute).toBe(600);
  });

  it('without a limit still tell what remains', () => {
    expect(read({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '3s' })?.requests).toEqual({
      limitPerMinute: null,
      remaining: 0,
      resetMs: 3000,
    });
  });

  it('of Anthropic have times, and the tighter of the limits on tokens holds', () => {
    const headers = {
      ...anthropic('requests', '50', '49', '2026-11-29T12:00:01Z'),
      ...anthropic('tokens', '100000', '98000', '2026-11-29T12:00:02Z'),
      ...anthropic('input-tokens', '80000', '79000', '2026-11-29T12:00:03Z'),
      ...anthropic('output-tokens', '20000', '19000', '2026-11-29T12:00:04Z'),
    };
    expect(read(headers)).toEqual({
      requests: { limitPerMinute: 50, remaining: 49, resetMs: 1000 },
      tokens: { limitPerMinute: 80_000, remaining: 79_000, resetMs: 3000 },
    });
  });

  it('of Anthropic with no output left say that nothing is left', () => {
    const headers = {
      ...anthropic('input-tokens', '80000', '79000', '2026-11-29T12:00:03Z'),
      ...anthropic('output-tokens', '20000', '0', '2026-11-29T12:00:40Z'),
    };
    expect(read(headers)?.tokens).toEqual({ limitPerMinute: 80_000, remaining: 0, resetMs: 40_000 });
    expect(read(anthropic('output-tokens', '20000', '500', '2026-11-29T12:00:40Z'))?.tokens?.limitPerMinute).toBe(20_000);
  });

  it('of OpenRouter count anew at a time in milliseconds, of a minute or of a day', () => {
    const of = (resetMs: number) => ({
      'x-ratelimit-limit': '20',
      'x-ratelimit-remaining': '19',
      'x-ratelimit-reset': String(NOW + resetMs),
    });
    expect(read(of(45_000))).toEqual({ requests: { limitPerMinute: 20, remaining: 19, resetMs: 45_000 }, tokens: null });
    expect(read(of(3_600_000))?.requests).toEqual({ limitPerMinute: null, remaining: 19, resetMs: 3_600_000 });
  });

  it.each([[{}], [{ 'content-type': 'text/plain' }], [openAi('requests', 'many', 'few', 'soon')], [openAi('requests', '', '', '')]])(
    'that are none (%j) tell nothing',
    (headers) => {
      expect(read(headers)).toBeNull();
    },
  );

  it('of any content give numbers from 0 on, or nothing', () => {
    const value = fc.oneof(fc.string(), fc.integer().map(String), fc.constantFrom('1s', '6m0s', '-1', '2026-11-29T12:00:03Z'));
    const names = [...Object.keys(openAi('requests', '', '', '')), ...Object.keys(openAi('tokens', '', '', ''))];
    const all = [...names, ...Object.keys(anthropic('tokens', '', '', '')), ...Object.keys(anthropic('output-tokens', '', '', ''))];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...all, 'x-ratelimit-limit', 'x-ratelimit-reset'), value), (headers) => {
        const report = read(headers);
        const windows = [report?.requests, report?.tokens].filter((window) => window != null);
        return windows.every((window) => Object.values(window).every((part) => part === null || part >= 0));
      }),
      { numRuns: 500 },
    );
  });
});
