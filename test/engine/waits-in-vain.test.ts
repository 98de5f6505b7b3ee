import { describe, expect, test } from 'vitest';
import { isStop, waitsInVain } from '../../src/engine/waits-in-vain.ts';
import type { Waiting } from '../../src/store/rows.ts';

const NOW = 1_000_000;
const MAX_WAIT_MS = 120_000;

function waiting(why: Waiting['why'], untilMs: number | null = null): Waiting {
  return { why, laneId: null, count: 1, untilMs, message: null };
}

describe('waiting is in vain', () => {
  test.each(['lane_paused', 'model_paused', 'budget_usd', 'budget_tokens', 'budget_minutes', 'budget_group', 'fail_fast'] as const)(
    'for %s without a time: only a person ends it, however long one would wait',
    (why) => {
      expect(waitsInVain([waiting(why)], NOW, MAX_WAIT_MS)).toBe(true);
      expect(waitsInVain([waiting(why)], NOW, Number.POSITIVE_INFINITY)).toBe(true);
      expect(isStop(waiting(why))).toBe(true);
    },
  );

  test.each(['lane_concurrency', 'run_concurrency', 'store_maximum', 'lane_breaker'] as const)(
    'not for %s: a call that runs somewhere ends it',
    (why) => {
      expect(waitsInVain([waiting(why)], NOW, MAX_WAIT_MS)).toBe(false);
      expect(isStop(waiting(why))).toBe(false);
    },
  );

  test.each(['lane_paused', 'lane_cooldown', 'backoff'] as const)('for %s that ends later than anyone should wait', (why) => {
    expect(waitsInVain([waiting(why, NOW + MAX_WAIT_MS)], NOW, MAX_WAIT_MS)).toBe(false);
    expect(waitsInVain([waiting(why, NOW + MAX_WAIT_MS + 1)], NOW, MAX_WAIT_MS)).toBe(true);
    expect(waitsInVain([waiting(why, NOW + MAX_WAIT_MS + 1)], NOW, Number.POSITIVE_INFINITY)).toBe(false);
  });

  test('not for a budget that calls in flight elsewhere may give back', () => {
    expect(waitsInVain([waiting('budget_usd', NOW + 1000)], NOW, MAX_WAIT_MS)).toBe(false);
  });

  test('only if all of it is', () => {
    expect(waitsInVain([waiting('lane_paused'), waiting('lane_tokens', NOW + 1000)], NOW, MAX_WAIT_MS)).toBe(false);
    expect(waitsInVain([waiting('lane_paused'), waiting('budget_usd')], NOW, MAX_WAIT_MS)).toBe(true);
    expect(waitsInVain([], NOW, MAX_WAIT_MS)).toBe(false);
  });
});
