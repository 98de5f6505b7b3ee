import { expect, it } from 'vitest';
import { isLongWindow } from '../../../src/domain/lane/long-window.ts';

it.each<[boolean, string, number | null, number | null, number | null]>([
  [false, 'a minute, hardly used', 600, 599, 100],
  [false, 'a minute, used up', 600, 0, 60_000],
  [false, 'two minutes, the most that counts as one', 600, 300, 60_000],
  [true, 'a day, hardly used', 14_400, 14_399, 6000],
  [true, 'a day, half used', 14_400, 7200, 43_200_000],
  [true, 'a reset beyond two minutes, whatever else is told', null, null, 120_001],
  [false, 'no reset', 14_400, 1, null],
  [false, 'nothing gone', 600, 600, 60_000],
  [false, 'nothing told of what remains', 600, null, 60_000],
])('%s: the window is longer than a minute when there is %s', (isLong, _what, limitPerMinute, remaining, resetMs) => {
  expect(isLongWindow({ limitPerMinute, remaining, resetMs })).toBe(isLong);
});
