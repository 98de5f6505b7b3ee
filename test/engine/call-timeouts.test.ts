import { expect, test } from 'vitest';
import { callTimeouts } from '../../src/engine/call-timeouts.ts';

const TIMEOUTS = { connectMs: 10_000, firstTokenMs: 60_000, idleMs: 30_000, totalMs: 120_000 };

test('the try after one that was too slow gets twice the time for the first token and in all', () => {
  expect(callTimeouts(TIMEOUTS, 'timeout', 1_800_000)).toEqual({ ...TIMEOUTS, firstTokenMs: 120_000, totalMs: 240_000 });
});

test('never more than the step itself may take, and never less than stated', () => {
  expect(callTimeouts(TIMEOUTS, 'timeout', 150_000)).toEqual({ ...TIMEOUTS, firstTokenMs: 120_000, totalMs: 150_000 });
  expect(callTimeouts(TIMEOUTS, 'timeout', 1000)).toEqual(TIMEOUTS);
});

test.each([null, 'server_error', 'rate_limited', 'connection'] as const)('after %s nothing changes', (lastFailure) => {
  expect(callTimeouts(TIMEOUTS, lastFailure, 1_800_000)).toBe(TIMEOUTS);
});
