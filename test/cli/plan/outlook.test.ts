import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readOutlook } from '../../../src/cli/plan/outlook.ts';
import type { ResolvedBudget, ResolvedManifest, ResolvedModel } from '../../../src/domain/manifest/resolved.ts';
import { settingsOf } from '../../../src/engine/enqueue.ts';
import { sumCalls } from '../../../src/engine/plan-cost.ts';
import type { Store } from '../../../src/store/store.ts';
import { Bench, Clock, START_MS } from '../../store/bench.ts';
import { job, MANIFEST } from '../../store/rows.ts';
import { openTempStore, type SqliteBench } from '../../store/sqlite/open-store.ts';

const MODEL: ResolvedModel = {
  id: 'model',
  provider: 'lab',
  model: 'qwen',
  group: null,
  params: { maxOutputTokens: 1000 },
  price: { inputPerMTok: 1, outputPerMTok: 2 },
  contextTokens: null,
  structuredOutput: 'auto',
  timeouts: { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
};

const NO_BOUND: ResolvedBudget = { usd: null, tokens: null, minutes: null, warnAt: 0.8, group: null };

function manifest(budget: Partial<ResolvedBudget>, changes: Partial<ResolvedManifest> = {}): ResolvedManifest {
  return { ...MANIFEST, models: { model: MODEL }, budget: { ...NO_BOUND, ...budget }, ...changes };
}

/** What one call of the bench costs and uses: see `PAID` of its rows. */
const PAID = { nanoUsd: 5000, tokens: 130 };

let opened: SqliteBench;
let bench: Bench;
beforeEach(async () => {
  const clock = new Clock();
  opened = await openTempStore(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(() => opened.dispose());

async function boundsOf(of: ResolvedManifest, store: Store | null = opened.store) {
  const input = { manifest: of, identity: 'identity of r1', sums: sumCalls(of, [job('j2', 1)], []), nowMs: START_MS };
  return (await readOutlook(store, input)).bounds.map(({ bound, limit, used }) => ({ bound, limit, used }));
}

/** A run of two jobs of which one is paid for. */
async function halfDone(of: ResolvedManifest, runId = 'r1'): Promise<void> {
  await bench.plan(runId, [job(`${runId}-1`, 0), job(`${runId}-2`, 1)], { settings: settingsOf(of) });
  await bench.complete(await bench.claimed(runId));
}

describe('the outlook', () => {
  test('counts what the unfinished run spent that would go on', async () => {
    const both = manifest({ usd: 1, tokens: 5000 });
    await halfDone(both);
    expect(await boundsOf(both)).toEqual([
      { bound: 'usd', limit: 1_000_000_000, used: PAID.nanoUsd },
      { bound: 'tokens', limit: 5000, used: PAID.tokens },
    ]);
  });

  test('counts it even if that run had no budget', async () => {
    await halfDone({ ...manifest({}), budget: null });
    expect(await boundsOf(manifest({ usd: 1 }))).toMatchObject([{ used: PAID.nanoUsd }]);
  });

  test('counts nothing of a run that is over, and nothing without a database', async () => {
    const of = manifest({ usd: 1 });
    await halfDone(of);
    expect(await boundsOf(of, null)).toMatchObject([{ used: 0 }]);
    await bench.store.cancelRun('r1');
    expect(await boundsOf(of)).toMatchObject([{ used: 0 }]);
  });

  test('counts nothing twice where no known answer is looked up', async () => {
    const of = manifest({ usd: 1 }, { cache: { ...MANIFEST.cache, mode: 'off' } });
    await halfDone(of);
    expect(await boundsOf(of)).toMatchObject([{ used: 0 }]);
  });

  test.each([
    ['month', PAID.nanoUsd],
    ['total', 2 * PAID.nanoUsd],
  ] as const)('counts what all runs of the group spent, per %s', async (per, used) => {
    const of = manifest({ group: { name: 'team', usd: 1, per } });
    bench.clock.pass(-40 * 86_400_000);
    await halfDone(of, 'r0');
    bench.clock.pass(40 * 86_400_000);
    await halfDone(of);
    expect(await boundsOf(of)).toEqual([{ bound: 'group', limit: 1_000_000_000, used }]);
    expect(await boundsOf(manifest({ group: { name: 'other', usd: 1, per } }))).toMatchObject([{ used: 0 }]);
  });

  test('expects answers as long as they were', async () => {
    await halfDone(manifest({}));
    const sums = sumCalls(manifest({}), [job('j2', 1)], await opened.store.outputMeans());
    const { models } = await readOutlook(opened.store, { manifest: manifest({}), identity: 'other', sums, nowMs: START_MS });
    expect(models).toMatchObject([{ outputTokens: 30, outputBasis: 'measured' }]);
  });
});
