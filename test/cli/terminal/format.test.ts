import { expect, test } from 'vitest';
import {
  amount,
  amountTexts,
  clock,
  counted,
  dayAndClock,
  duration,
  isoTime,
  money,
  moneyTexts,
  percent,
  timeText,
  untilText,
  utcClock,
} from '../../../src/cli/terminal/format.ts';

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
  expect([null, 0, 670_000_000, 1_234_000, 40].map(money)).toEqual(['unknown', '$0.00', '$0.67', '$0.0012', '$0.000000040']);
});

test('amounts that stand beside each other are told apart', () => {
  expect(moneyTexts([25_400_000, 30_000_000])).toEqual(['$0.0254', '$0.0300']);
  expect(moneyTexts([2_999_000_000, 3_000_000_000, null])).toEqual(['$2.999', '$3.000', 'unknown']);
  expect(moneyTexts([30_000_000, 30_000_000, 740_000_000])).toEqual(['$0.03', '$0.03', '$0.74']);
  expect(moneyTexts([100, 0])).toEqual(['$0.00000010', '$0.00']);
  expect(amountTexts([1_204_332, 1_203_000])).toEqual(['1,204,332', '1,203,000']);
  expect(amountTexts([2_225_000, 5_000_000, null])).toEqual(['2.23M', '5.00M', 'unknown']);
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

test('a time to come is named as shortly as its distance allows, with how far off it is', () => {
  const noon = new Date(2026, 10, 29, 12, 0, 0).getTime();
  const [minute, day] = [60_000, 86_400_000];
  expect(untilText(noon + 8000, noon)).toBe('12:00 (in 8 s)');
  expect(untilText(noon + 12 * minute, noon)).toBe('12:12 (in 12 min)');
  expect(untilText(noon + 125 * minute, noon)).toBe('14:05 (in 2 h)');
  // A little less than was asked for has passed.
  expect(untilText(noon + 2 * day - 300, noon)).toBe(`Tue ${clock(noon + 2 * day - 300)} (in 2 days)`);
  expect(untilText(noon + 25 * day, noon)).toBe(`${dayAndClock(noon + 25 * day)} (in 25 days)`);
  expect(untilText(noon - 5, noon)).toBe('11:59 (in 0 s)');
  expect(timeText(noon + 12 * minute, noon)).toBe('12:12');
});
