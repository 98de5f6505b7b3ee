import { describe, expect, it } from 'vitest';
import {
  afterAnswer,
  afterRefused,
  afterTrouble,
  CAREFUL,
  type ConcurrencyState,
  mayRun,
  paced,
} from '../../../src/domain/lane/concurrency.ts';
import type { Finished } from '../../../src/domain/lane/round.ts';

const NOW = 1_800_000_000_000;

/** So many answers in a row, with all of the limit in flight. */
function answers(state: ConcurrencyState, count: number, changes: Partial<Finished> = {}): ConcurrencyState {
  const nowMs = Math.max(NOW, state.round.sinceMs) + 100;
  return Array.from({ length: count }).reduce<ConcurrencyState>(
    (before) => afterAnswer(before, { ...call(nowMs, Math.floor(before.limit)), ...changes }),
    state,
  );
}

function call(nowMs: number, running: number): Finished {
  return { nowMs, grantedAtMs: nowMs, stated: 64, running, outputTokens: 100, latencyMs: 1000 };
}

describe('the concurrency of a lane', () => {
  it('starts with four calls and doubles with each clean round, up to what is stated', () => {
    expect([mayRun(CAREFUL, 64), mayRun(CAREFUL, 2)]).toEqual([4, 2]);
    expect([4, 12, 20, 36, 200].map((count) => answers(CAREFUL, count).limit)).toEqual([8, 16, 32, 64, 64]);
  });

  it('does not grow while a part of it only is in flight', () => {
    expect(answers(CAREFUL, 40, { running: 3 }).limit).toBe(4);
  });

  it('does not grow for a while after a round with many server errors, then in small steps', () => {
    const failed = (count: number) =>
      Array.from({ length: count }).reduce<ConcurrencyState>((state) => afterTrouble(state, call(NOW, 4)), CAREFUL);
    expect([2, 3].map((count) => answers(failed(count), 4).limit)).toEqual([8, 4]);
    const troubled = answers(failed(3), 4);
    expect(answers(troubled, 40).limit).toBe(4);
    const later = { nowMs: NOW + 10_101, grantedAtMs: NOW + 10_101 };
    expect(answers(troubled, 4, later).limit).toBe(5);
    const stopped = answers({ ...failed(3), growAtMs: NOW + 60_000 }, 4);
    expect(stopped.growAtMs).toBe(NOW + 60_000);
  });

  it('takes no notice of an error of a call that was granted before the round', () => {
    const doubled = answers(CAREFUL, 4);
    expect(afterTrouble(doubled, { ...call(NOW + 200, 4), grantedAtMs: NOW })).toBe(doubled);
  });

  it('learns neither more nor less while a manifest states less', () => {
    const doubled = answers(CAREFUL, 4);
    const held = answers(doubled, 100, { stated: 1, running: 1, latencyMs: 9000 });
    expect([held.limit, held.best]).toEqual([8, doubled.best]);
    expect(afterRefused(doubled, { ...call(NOW, 1), stated: 2 }, false).limit).toBe(8);
  });

  it('is cut by a refusal only when nearly all of it was in flight', () => {
    const state = { ...CAREFUL, limit: 20 };
    expect([16, 15].map((running) => afterRefused(state, call(NOW, running), false).limit)).toEqual([14, 20]);
    expect(answers(afterRefused(state, call(NOW, 20), false), 8).limit).toBe(15);
  });

  it('goes back when twice as many calls make no more tokens in a second, and stays when half as many are twice as fast again', () => {
    const doubled = answers(CAREFUL, 4);
    const back = answers(doubled, 48, { latencyMs: 2000 });
    expect([doubled.limit, back.limit, back.doubted]).toEqual([8, 4, { limit: 8, perCall: 0.05 }]);
    expect(paced(back, 100, 64)).toBe(back);
    const stopped = answers(back, 40, { latencyMs: 1000 });
    expect([stopped.limit, stopped.crowded, stopped.best, stopped.doubted]).toEqual([4, true, null, null]);
    expect(answers(stopped, 200, { latencyMs: 1000 }).limit).toBe(4);
    expect(answers(doubled, 100, { latencyMs: 1000 }).limit).toBe(64);
  });

  it('goes on from where it was when half as many calls are no faster: the questions have changed', () => {
    const back = answers(answers(CAREFUL, 4), 48, { latencyMs: 2000 });
    expect(answers(back, 40, { latencyMs: 2000 })).toMatchObject({ limit: 16, crowded: false, doubted: null });
  });

  it('goes back further while fewer calls are as fast together, and measures anew after a minute, then two, …', () => {
    const doubted = { limit: 16, perCall: 0.05 };
    const state = { ...CAREFUL, limit: 12, doubted };
    const lower = answers(state, 40, { latencyMs: 1500 });
    expect([lower.limit, lower.crowded]).toEqual([9, true]);
    const stopped = answers(lower, 40, { latencyMs: 1500 });
    expect([stopped.limit, stopped.stoppedMs, stopped.growAtMs - stopped.round.sinceMs]).toEqual([12, 60_000, 60_000]);
    const later = { nowMs: stopped.growAtMs, grantedAtMs: stopped.growAtMs, latencyMs: 1500 };
    expect(answers(stopped, 40, later)).toMatchObject({ limit: 13, best: { limit: 12 } });
    expect(answers({ ...lower, stoppedMs: 60_000 }, 40, { latencyMs: 1500 }).stoppedMs).toBe(120_000);
  });

  it('grows where calls begin and end together, so that only the first to end sees all of them', () => {
    const together = [4, 3, 2, 1, 4, 3, 2, 1].reduce((state, running) => afterAnswer(state, call(NOW + 100, running)), CAREFUL);
    expect(together.limit).toBe(8);
  });

  it('goes back to what was clean when the server names its calls at once, and tries again after 10 s, 20 s, …', () => {
    const doubled = answers(CAREFUL, 4);
    const cut = afterRefused(doubled, call(NOW + 200, 8), true);
    expect([cut.limit, cut.ceiling]).toEqual([5, { limit: 8, waitMs: 10_000, untilMs: NOW + 10_200 }]);
    const grown = answers(cut, 200);
    expect(grown.limit).toBe(7);
    const again = answers(grown, 8, { nowMs: NOW + 10_201, grantedAtMs: NOW + 10_201 });
    expect(again.limit).toBe(8);
    const twice = afterRefused(again, call(NOW + 10_300, 8), true);
    expect([twice.limit, twice.ceiling]).toEqual([7, { limit: 8, waitMs: 20_000, untilMs: NOW + 30_300 }]);
    expect(answers(twice, 200).limit).toBe(7);
  });

  it('is cut where what was clean before is named too much', () => {
    const steady = { ...CAREFUL, limit: 10, proven: 10 };
    expect(afterRefused(steady, call(NOW, 10), true).limit).toBe(7);
  });

  it('forgets a ceiling that a whole round has passed', () => {
    const state = { ...CAREFUL, limit: 8, starting: false, refused: true, ceiling: { limit: 8, waitMs: 10_000, untilMs: NOW + 10_000 } };
    expect(answers(state, 8)).toMatchObject({ limit: 9, ceiling: null });
  });
});
