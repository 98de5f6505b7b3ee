import { expect, test } from 'vitest';
import { amount, counted, duration, isoTime, money, percent, utcClock } from '../../../src/cli/terminal/format.ts';

test.each([
  [0, '0.0 s'],
  [450, '0.5 s'],
  [44_400, '44 s'],
  [750_000, '12m30s'],
  [3_600_000 + 5 * 60_000, '1h05m'],
  [2 * 86_400_000 + 4 * 3_600_000, '2d 4h'],
  [-5, '0.0 s'],
])('%i ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [812, '812'],
  [1234, '1.2k'],
  [65_432, '65k'],
  [2_163_000, '2.16M'],
])('%i tokens are %s', (count, text) => {
  expect(amount(count)).toBe(text);
});

test('an unknown price is never shown as nothing, and a small one never as zero', () => {
  expect([null, 0, 670_000_000, 1_234_000, 40].map(money)).toEqual(['unknown', '$0.00', '$0.67', '$0.0012', '$4.0e-8']);
});

test('progress is 0 % only at the start and 100 % only at the end', () => {
  expect([percent(0, 420), percent(1, 420), percent(231, 420), percent(419, 420), percent(420, 420), percent(0, 0)]).toEqual([
    '0%',
    '1%',
    '55%',
    '99%',
    '100%',
    '0%',
  ]);
});

test('times of machines are in UTC', () => {
  expect(utcClock(Date.UTC(2026, 10, 29, 3, 4, 5))).toBe('03:04:05Z');
  expect([isoTime(0), isoTime(null)]).toEqual(['1970-01-01T00:00:00.000Z', null]);
});

test('one is singular', () => {
  expect([counted(1, 'job'), counted(0, 'job'), counted(2, 'entry', 'entries')]).toEqual(['1 job', '0 jobs', '2 entries']);
});
