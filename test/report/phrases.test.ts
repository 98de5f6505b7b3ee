import { describe, expect, test } from 'vitest';
import { compact, counted, duration, grouped, passPercent, sharePercent, usd } from '../../src/report/phrases.ts';

describe('numbers for people', () => {
  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('%d is grouped as %s', (count, text) => {
    expect(grouped(count)).toBe(text);
  });

  test.each([
    [0, '0'],
    [9999, '9,999'],
    [12_345, '12.3k'],
    [133_000, '133k'],
    [999_499, '999k'],
    [999_500, '1.00M'],
    [4_410_000, '4.41M'],
    [123_456_789, '123M'],
  ])('%d tokens are %s', (count, text) => {
    expect(compact(count)).toBe(text);
  });

  test.each([
    [0, '$0.00'],
    [1.184, '$1.18'],
    [0.0123, '$0.01'],
    [0.00421, '$0.0042'],
    [0.000000375, '$0.00000038'],
    [1234.5, '$1234.50'],
  ])('%d USD are %s', (amount, text) => {
    expect(usd(amount)).toBe(text);
  });

  test.each([
    [850, '850 ms'],
    [19_400, '19.4 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min'],
    [2_160_000, '36 min'],
    [7_500_000, '2 h 5 min'],
  ])('%d ms are %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test('a pass rate is rounded down, a gate is shown as written', () => {
    expect(passPercent({ pass: 1999, fail: 1 })).toBe('99.9 %');
    expect(passPercent({ pass: 29, fail: 71 })).toBe('29.0 %');
    expect(passPercent({ pass: 0, fail: 0 })).toBeNull();
    expect([sharePercent(0.8), sharePercent(0.825), sharePercent(0.29), sharePercent(1)]).toEqual(['80 %', '82.5 %', '29 %', '100 %']);
  });

  test('one is singular', () => {
    expect([counted(0, 'job'), counted(1, 'job'), counted(2, 'job')]).toEqual(['0 jobs', '1 job', '2 jobs']);
  });
});
