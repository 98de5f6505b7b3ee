import { expect, test } from 'vitest';
import { idlePauseMs } from '../../src/engine/idle-pause.ts';

test('a process without work looks again after a second, then less and less often, up to every ten seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 100].map((looks) => idlePauseMs(looks, 0.5))).toEqual([1000, 1500, 2250, 3375, 5063, 7594, 10_000, 10_000]);
});

test('processes that were started together look at different times', () => {
  expect([0, 0.5, 1].map((random) => idlePauseMs(20, random))).toEqual([7500, 10_000, 12_500]);
});
