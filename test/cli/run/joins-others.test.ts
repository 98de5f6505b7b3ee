import { describe, expect, test } from 'vitest';
import { changedBoundNote, refuseOtherCacheMode, runOfOthers } from '../../../src/cli/run/joins-others.ts';
import { UserError } from '../../../src/domain/errors.ts';
import type { RunRow, WorkerRow } from '../../../src/store/rows.ts';
import { MANIFEST, sampleRun, sampleWorker } from '../sample-run.ts';

const RUN = sampleRun();

function store(workers: readonly WorkerRow[], run: RunRow = RUN) {
  return { listRuns: async () => [sampleRun({ runId: 'another', identity: 'another' }), run], workers: async () => workers };
}

describe('a start joins the run of others', () => {
  const found = async (workers: readonly WorkerRow[], run: RunRow = RUN) =>
    (await runOfOthers(store(workers, run), RUN.identity))?.runId ?? null;

  test('where a living process works on it alone, or holds work as a worker of all runs', async () => {
    expect(await found([sampleWorker({ runId: RUN.runId, running: 0 })])).toBe(RUN.runId);
    expect(await found([sampleWorker({ runId: null, running: 2 })])).toBe(RUN.runId);
  });

  test('not where they are gone, idle or at work elsewhere, nor where the run is over or not of this identity any more', async () => {
    expect(await found([])).toBeNull();
    expect(await found([sampleWorker({ runId: RUN.runId, alive: false })])).toBeNull();
    expect(await found([sampleWorker({ runId: null, running: 0 })])).toBeNull();
    expect(await found([sampleWorker({ runId: 'another' })])).toBeNull();
    for (const over of [{ state: 'finished' as const }, { holdsIdentity: false }]) {
      expect(await found([sampleWorker({ runId: RUN.runId })], sampleRun(over))).toBeNull();
    }
  });
});

describe('what a start states holds for others', () => {
  const withMode = (mode: 'read-write' | 'off') => sampleRun({ settings: { ...RUN.settings, cacheMode: mode } });
  const start = (mode: 'read-write' | 'off') => ({ ...MANIFEST, cache: { ...MANIFEST.cache, mode } });

  test('another cache mode is refused, whichever of the two costs more; the same is not', () => {
    for (const [theirs, ours] of [
      ['read-write', 'off'],
      ['off', 'read-write'],
    ] as const) {
      expect(() => refuseOtherCacheMode(withMode(theirs), start(ours))).toThrow(UserError);
      expect(() => refuseOtherCacheMode(withMode(theirs), start(theirs))).not.toThrow();
    }
  });

  test('another bound is told; the same is not', () => {
    const bound = (nanoUsd: number | null) =>
      sampleRun({ settings: { ...RUN.settings, budget: { nanoUsd, tokens: null, activeMs: null, warnAt: 0.8, group: null } } });
    expect(changedBoundNote(bound(2e9), bound(3e9))).toBe(
      `others work on run ${RUN.runId}: its bound was $2.00, and is $3.00 for all of them now`,
    );
    expect(changedBoundNote(bound(null), bound(3e9))).toContain('was none, and is $3.00');
    expect(changedBoundNote(bound(3e9), bound(3e9))).toBeNull();
  });
});
