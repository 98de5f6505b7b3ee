import { describe, expect, it } from 'vitest';
import { HostWatch } from '../../../../src/store/sqlite/workers/host-watch.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_800_000_000_000;

describe('a worker of another host', () => {
  let monotonicMs = 0;
  const watch = (): HostWatch => {
    monotonicMs = 0;
    return new HostWatch(() => monotonicMs);
  };
  const beat = (atMs: number) => ({ workerId: 'far', beatAtMs: atMs });

  it('whose beat is very old is dead at first sight: a database that was restored elsewhere opens at once', () => {
    expect(watch().judge(beat(NOW_MS - 11 * MINUTE_MS), NOW_MS)).toBe('dead');
  });

  it.each([
    ['fresh', 0],
    ['late, or its clock is', -2 * MINUTE_MS],
    ['ahead, because its clock is', 9 * MINUTE_MS],
  ])('whose beat is %s lives if the beat is seen to change, and is dead if it is not', (_, ahead) => {
    const first = beat(NOW_MS + ahead);
    const living = watch();
    expect(living.judge(first, NOW_MS)).toBe('unknown');
    monotonicMs = 15_000;
    expect(living.judge(beat(first.beatAtMs + 15_000), NOW_MS)).toBe('alive');

    const dead = watch();
    expect(dead.judge(first, NOW_MS)).toBe('unknown');
    monotonicMs = 22_000;
    expect(dead.judge(first, NOW_MS)).toBe('unknown');
    monotonicMs = 23_000;
    expect(dead.judge(first, NOW_MS)).toBe('dead');
  });
});
