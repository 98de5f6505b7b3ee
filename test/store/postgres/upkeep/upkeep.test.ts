import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CacheEntry } from '../../../../src/store/cache-store.ts';
import { Bench, Clock } from '../../bench.ts';
import { jobOfKey } from '../../rows.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';
import { expectSound } from '../sound.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

let opened: PostgresBench;
let bench: Bench;
beforeEach(async () => {
  const clock = new Clock();
  opened = await schemas.open(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(async () => {
  await expectSound(opened.db);
  await opened.dispose();
});

const WHOLE = { after: '', limit: 1000 };
const ALL = { model: null, namespace: null, endpoint: null, storedBeforeMs: null };

/** A finished run whose answers are cached under these keys. */
async function finished(runId: string, keys: readonly string[]): Promise<void> {
  await bench.plan(
    runId,
    keys.map((key, seq) => jobOfKey(`j${seq}`, seq, key)),
  );
  for (const _ of keys) await bench.complete(await bench.claimed(runId));
  await bench.store.finishRun(runId);
}

describe('upkeep of a store on PostgreSQL', () => {
  it('an import that comes while the same answers are dropped as unused leaves a cache that is whole', async () => {
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    await finished('r1', keys);
    const exported = await bench.store.cacheEntries(WHOLE);
    await bench.store.pruneRun('r1');
    const other = await opened.another();
    for (let round = 0; round < 5; round += 1) {
      await bench.store.invalidateCache(ALL);
      await Promise.all([bench.store.pruneUnused({ dryRun: false }), other.importCache(exported)]);
      expect(await bench.store.cacheEntries(WHOLE)).toEqual(exported);
    }
  });

  it('a plan that comes while its texts and keys are dropped as unused is whole', async () => {
    const other = await opened.another();
    for (let round = 0; round < 5; round += 1) {
      await finished('old', ['k1', 'k2']);
      await bench.store.invalidateCache(ALL);
      await bench.store.pruneRun('old');
      const planner = new Bench(other, bench.clock);
      await Promise.all([
        bench.store.pruneUnused({ dryRun: false }),
        planner.plan(`r${round}`, [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]),
      ]);
      expect((await other.canonicalText(`r${round}`, 'a.md'))?.text).toBe('text of a.md');
      await planner.complete(await planner.claimed(`r${round}`));
      await planner.complete(await planner.claimed(`r${round}`));
      await other.finishRun(`r${round}`);
      await other.pruneRun(`r${round}`);
      await other.invalidateCache(ALL);
    }
  });

  it('imports of the same entries at once, from several processes, are one', async () => {
    await finished('r1', ['k1', 'k2', 'k3']);
    const exported = await bench.store.cacheEntries(WHOLE);
    await bench.store.invalidateCache(ALL);
    await bench.store.pruneRun('r1');
    await bench.store.pruneUnused({ dryRun: false });
    const later = exported.map(
      (entry): CacheEntry => ({ ...entry, callToken: `later ${entry.callToken}`, storedAtMs: entry.storedAtMs - 1 }),
    );
    const others = [await opened.another(), await opened.another(), await opened.another()];
    await Promise.all(others.map((store, at) => store.importCache(at === 1 ? [...exported].reverse() : [...later, ...exported])));
    expect(await bench.store.cacheEntries(WHOLE)).toEqual(exported);
  });

  it('a run’s folder is its own only in the database that it was opened in', async () => {
    await finished('r1', ['k1']);
    const { outDir } = await bench.run('r1');
    expect(await bench.store.pruneOutlook('r1')).toEqual({ folder: outDir, openJobs: 0 });
    await opened.db.query(`UPDATE runs SET written_from = 'another server/postgres/aieval'`);
    expect(await bench.store.pruneOutlook('r1')).toEqual({ folder: null, openJobs: 0 });
    expect(await bench.store.pruneOutlook('none')).toBeNull();
  });

  it('a pruning that was killed half way is ended by the next upkeep', async () => {
    await finished('r1', ['k1', 'k2']);
    await opened.db.query(`UPDATE runs SET pruned_at_ms = 1; DELETE FROM attempts`);
    await bench.store.pruneUnused({ dryRun: false });
    expect((await opened.db.query('SELECT run_id FROM runs UNION SELECT run_id FROM jobs UNION SELECT run_id FROM calls')).rows).toEqual(
      [],
    );
    expect((await bench.store.cacheStats()).entries).toBe(2);
  });
});
