import { describe, expect, it } from 'vitest';
import { afterEnd, type BreakerState, breakerBlock, CLOSED, parkedUntilMs, probing, unprobed } from '../../../src/domain/lane/breaker.ts';
import type { FailureClass } from '../../../src/domain/reason.ts';

const NOW = 100_000;

function end(state: BreakerState, key: string, failed: FailureClass | null = 'transient', nowMs = NOW, grantedAtMs = nowMs - 10) {
  return afterEnd(state, { nowMs, grantedAtMs, key, failed });
}

const open = ['a', 'b', 'c', 'd', 'e'].reduce((state, key) => end(state, key), CLOSED);

describe('the breaker', () => {
  it('opens after five failures in a row, for a second', () => {
    const four = ['a', 'b', 'c', 'd'].reduce((state, key) => end(state, key), CLOSED);
    expect(breakerBlock(NOW, four, 0)).toBeNull();
    expect(breakerBlock(NOW, open, 0)).toEqual({ untilMs: NOW + 1000 });
    expect(breakerBlock(NOW + 1000, open, 0)).toBeNull();
    expect(parkedUntilMs(four)).toBeNull();
    expect(parkedUntilMs(open)).toBe(NOW + 1001);
  });

  it('stays closed when one question only fails, however often', () => {
    const state = Array.from({ length: 20 }).reduce<BreakerState>((before) => end(before, 'a'), CLOSED);
    expect(breakerBlock(NOW, state, 0)).toBeNull();
    expect(breakerBlock(NOW, end(state, 'b'), 0)).not.toBeNull();
  });

  it.each([[null], ['quality'], ['permanent'], ['capability']] as const)('is closed by an end of class %s: somebody answered', (failed) => {
    expect(end(open, 'z', failed)).toEqual(CLOSED);
  });

  it('learns nothing from a call that was stopped or refused', () => {
    expect(end(open, 'z', 'rate')).toEqual(open);
    expect(end(open, 'z', 'fatal')).toEqual(open);
  });

  it('lets one probe through at a time', () => {
    const probed = probing(NOW + 1000, open);
    expect(breakerBlock(NOW + 1001, probed, 1)).toEqual({ untilMs: null });
    expect(breakerBlock(NOW + 1001, unprobed(probed, NOW + 1000), 1)).toBeNull();
    expect(probing(NOW, CLOSED)).toBe(CLOSED);
  });

  it('lets no second probe through when an older call never left', () => {
    const probed = probing(NOW + 1000, open);
    expect(unprobed(probed, NOW + 999)).toEqual(probed);
  });

  it('lets another probe through when the first died with its worker', () => {
    expect(breakerBlock(NOW + 90_000, probing(NOW + 1000, open), 0)).toBeNull();
  });

  it('waits twice as long after each failed probe, and for a minute at most', () => {
    let state = open;
    const waits = Array.from({ length: 8 }, () => {
      const probeAtMs = state.probeAtMs ?? 0;
      state = end(probing(probeAtMs, state), `key-${probeAtMs}`, 'transient', probeAtMs + 5, probeAtMs);
      return (state.probeAtMs ?? 0) - (probeAtMs + 5);
    });
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is not held open by failures of calls that were under way when it opened', () => {
    expect(end(open, 'late', 'transient', NOW + 500, NOW - 100).probeAtMs).toBe(open.probeAtMs);
  });

  it('lets a probe through when its time lies further ahead than anybody waits', () => {
    expect(breakerBlock(NOW - 86_400_000, open, 0)).toBeNull();
  });
});
