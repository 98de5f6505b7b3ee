import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/domain/errors.ts';
import type { CacheEntry, CacheSelection } from '../../src/store/cache-store.ts';
import { Bench, Clock, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, failure, INVALID, job, jobOfKey, RETRY, settings, step, TTL_MS } from './rows.ts';

const ALL: CacheSelection = { model: null, namespace: null, endpoint: null, storedBeforeMs: null };
const WHOLE = { after: '', limit: 100 };

const RECORD = { endpoint: 'http://127.0.0.1:8000/v1', model: 'qwen', version: 1 };

/** An entry as another machine wrote it. */
function entry(key: string, changes: Partial<CacheEntry> = {}): CacheEntry {
  return {
    key,
    keyRecord: RECORD,
    callToken: `foreign ${key}`,
    stepKind: 'answer',
    completion: completion(),
    answer: { findings: [] },
    repaired: false,
    recordedAtMs: START_MS - 2000,
    storedAtMs: START_MS - 1000,
    origin: { runId: 'elsewhere', jobId: 'their job', costNanoUsd: 7000 },
    ...changes,
  };
}

/** What outlives a run, what of it may go, and what of a run goes with it. */
export function cacheContract(name: string, open: OpenStore): void {
  let opened: OpenedStore;
  let bench: Bench;
  const others: OpenedStore[] = [];

  async function another(): Promise<Bench> {
    const clock = new Clock();
    const other = await open(clock.read);
    others.push(other);
    return new Bench(other.store, clock);
  }

  beforeEach(async () => {
    const clock = new Clock();
    opened = await open(clock.read);
    bench = new Bench(opened.store, clock);
  });
  afterEach(async () => {
    for (const one of [opened, ...others.splice(0)]) await one.dispose();
  });

  /** Takes every job of a run to its verdict; the number of calls that it took. */
  async function work(at: Bench, runId: string): Promise<number> {
    let calls = 0;
    for (let reply = await at.claim(runId); reply.kind === 'claimed'; reply = await at.claim(runId)) {
      if (reply.claim.work.kind === 'finish') await at.finish(reply.claim);
      else {
        calls += 1;
        await at.complete(reply.claim);
      }
    }
    await at.store.finishRun(runId);
    return calls;
  }

  describe(`${name}: cache`, () => {
    it('an empty cache has nothing', async () => {
      const nothing = { entries: 0, sizeBytes: 0, oldestAtMs: null, newestAtMs: null, knownBad: 0, byModel: [] };
      expect(await bench.store.cacheStats()).toEqual(nothing);
      expect(await bench.store.cacheEntries(WHOLE)).toEqual([]);
      expect(await bench.store.invalidateCache(ALL)).toEqual({ entries: 0, knownBad: 0 });
    });

    it('the stats count entries, bytes and what was paid, by model', async () => {
      const other = step('k2', { keyRecord: { ...RECORD, model: 'llama' } });
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), job('j2', 1, { steps: [other] }), jobOfKey('j3', 2, 'k3')]);
      await bench.complete(await bench.claimed('r1'));
      bench.clock.pass(1000);
      await bench.complete(await bench.claimed('r1'));
      await bench.complete(await bench.claimed('r1'));
      const sizeBytes = Buffer.byteLength(JSON.stringify(completion())) + Buffer.byteLength('{"findings":[]}');
      expect(await bench.store.cacheStats()).toEqual({
        entries: 3,
        sizeBytes: 3 * sizeBytes,
        oldestAtMs: START_MS,
        newestAtMs: START_MS + 1000,
        knownBad: 0,
        byModel: [
          { model: 'llama', entries: 1, sizeBytes, paidNanoUsd: 5000 },
          { model: 'qwen', entries: 2, sizeBytes: 2 * sizeBytes, paidNanoUsd: 10_000 },
        ],
      });
    });

    it('what is invalidated is asked again, and the run that had it keeps its own', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await work(bench, 'r1');
      expect(await bench.store.invalidateCache(ALL, { dryRun: true })).toEqual({ entries: 1, knownBad: 0 });
      expect((await bench.store.cachedKeys(['k1'], null, null)).size).toBe(1);
      expect(await bench.store.invalidateCache(ALL)).toEqual({ entries: 1, knownBad: 0 });
      await bench.plan('r2', [jobOfKey('j1', 0, 'k1')]);
      expect(await work(bench, 'r2')).toBe(1);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', verdict: 'pass', latencyMs: 1234.5, cached: false });
    });

    it('a step that was promised an answer that is gone gets its grants', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await bench.plan('r2', [jobOfKey('j2', 0, 'k1')]);
      await work(bench, 'r1');
      await bench.store.invalidateCache(ALL);
      expect((await bench.claimed('r2')).work).toMatchObject({ kind: 'call', key: 'k1' });
    });

    it('a selection drops what matches every part of it', async () => {
      const record = (changes: object) => ({ ...RECORD, namespace: null, ...changes });
      const entries = [
        entry('k1', { keyRecord: record({}) }),
        entry('k2', { keyRecord: record({ namespace: 'team' }) }),
        entry('k3', { keyRecord: record({ model: 'llama', namespace: 'team' }), storedAtMs: START_MS }),
        entry('k4', { keyRecord: record({ endpoint: 'http://other/v1' }) }),
      ];
      const left = async (selection: Partial<CacheSelection>): Promise<string[]> => {
        const at = await another();
        await at.store.importCache(entries);
        const counted = await at.store.invalidateCache({ ...ALL, ...selection }, { dryRun: true });
        expect(await at.store.invalidateCache({ ...ALL, ...selection })).toEqual(counted);
        const keys = (await at.store.cacheEntries(WHOLE)).map(({ key }) => key);
        expect(counted.entries).toBe(entries.length - keys.length);
        return keys;
      };
      expect(await left({ model: 'qwen' })).toEqual(['k3']);
      expect(await left({ namespace: 'team' })).toEqual(['k1', 'k4']);
      expect(await left({ endpoint: 'http://other/v1' })).toEqual(['k1', 'k2', 'k3']);
      expect(await left({ storedBeforeMs: START_MS })).toEqual(['k3']);
      expect(await left({ model: 'qwen', namespace: 'team' })).toEqual(['k1', 'k3', 'k4']);
      expect(await left({ model: 'nobody' })).toEqual(['k1', 'k2', 'k3', 'k4']);
      expect(await left({})).toEqual([]);
    });

    it('what is known bad goes with its selection, but has no age', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')], { settings: settings({ retry: { ...RETRY, attempts: 1, lostLeases: 3 } }) });
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect((await bench.store.cacheStats()).knownBad).toBe(1);
      expect(await bench.store.invalidateCache({ ...ALL, storedBeforeMs: START_MS + TTL_MS })).toEqual({ entries: 0, knownBad: 0 });
      expect(await bench.store.invalidateCache({ ...ALL, model: 'llama' })).toEqual({ entries: 0, knownBad: 0 });
      expect(await bench.store.invalidateCache({ ...ALL, model: 'qwen' })).toEqual({ entries: 0, knownBad: 1 });
      expect((await bench.store.knownBadKeys(['k1'])).size).toBe(0);
    });

    it('pages come in the order of keys and hold all that serves the answer elsewhere', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k2'), jobOfKey('j2', 1, 'k1')]);
      await work(bench, 'r1');
      const [first, ...more] = await bench.store.cacheEntries({ after: '', limit: 1 });
      expect(more).toEqual([]);
      const row = await bench.row('r1', 'j2');
      expect(first).toEqual(
        entry('k1', {
          callToken: row.result?.callToken ?? '',
          recordedAtMs: START_MS,
          storedAtMs: START_MS,
          origin: { runId: 'r1', jobId: 'j2', costNanoUsd: 5000 },
        }),
      );
      expect((await bench.store.cacheEntries({ after: 'k1', limit: 5 })).map(({ key }) => key)).toEqual(['k2']);
      expect(await bench.store.cacheEntries({ after: 'k2', limit: 5 })).toEqual([]);
    });

    it('an imported answer is served without a call and shows where it was paid for', async () => {
      expect(await bench.store.importCache([entry('k1')])).toEqual({ added: 1, replaced: 0, kept: 0, conflicts: 0 });
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      expect(await work(bench, 'r1')).toBe(0);
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'succeeded',
        cached: true,
        calls: 0,
        costNanoUsd: 0,
        origin: { runId: 'elsewhere', jobId: 'their job', costNanoUsd: 7000, latencyMs: 1234.5 },
      });
      expect(await bench.store.response('foreign k1')).toEqual(completion());
    });

    it('an import makes hits of queued steps, and clears what was known bad', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')], { settings: settings({ retry: { ...RETRY, attempts: 1, lostLeases: 3 } }) });
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.plan('r2', [jobOfKey('j2', 0, 'k2')]);
      await bench.plan('off', [jobOfKey('j3', 0, 'k2')], { settings: settings({ cacheMode: 'off' }) });
      await bench.store.importCache([entry('k1'), entry('k2')]);
      expect((await bench.store.knownBadKeys(['k1'])).size).toBe(0);
      expect(await work(bench, 'r2')).toBe(0);
      expect((await bench.claimed('off')).work.kind).toBe('call');
    });

    it('an import ends the wait of a step that failed', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await bench.fail(await bench.claimed('r1'), failure());
      expect((await bench.claim('r1')).kind).toBe('blocked');
      await bench.store.importCache([entry('k1')]);
      expect((await bench.claimed('r1')).work.kind).toBe('finish');
    });

    it('stores that import the same entries hold the same, in any order', async () => {
      const older = entry('k1', { callToken: 'older' });
      const newer = entry('k1', { callToken: 'newer', storedAtMs: START_MS, answer: { findings: [1] } });
      const twin = entry('k1', { callToken: 'twin', storedAtMs: START_MS, answer: { findings: [2] } });
      const [one, two] = [await another(), await another()];
      expect(await one.store.importCache([older, newer, twin, entry('k2')])).toEqual({ added: 2, replaced: 2, kept: 0, conflicts: 0 });
      expect(await two.store.importCache([twin, newer, entry('k2'), older])).toEqual({ added: 2, replaced: 0, kept: 2, conflicts: 0 });
      expect(await one.store.cacheEntries(WHOLE)).toEqual([twin, entry('k2')]);
      expect(await two.store.cacheEntries(WHOLE)).toEqual([twin, entry('k2')]);
      expect(await two.store.importCache([older, newer, twin, entry('k2')])).toEqual({ added: 0, replaced: 0, kept: 4, conflicts: 0 });
    });

    it('an import changes no answer that is stored', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await work(bench, 'r1');
      const [own] = await bench.store.cacheEntries(WHOLE);
      if (own === undefined) throw new Error('Expected an entry');
      const forged = { ...own, answer: { findings: ['forged'] }, storedAtMs: START_MS + 5000 };
      expect(await bench.store.importCache([forged])).toEqual({ added: 0, replaced: 0, kept: 0, conflicts: 1 });
      expect(await bench.store.cacheEntries(WHOLE)).toEqual([own]);
    });

    it('an entry that contradicts what is known of its call is a conflict, whichever comes first', async () => {
      const one = entry('k1');
      const other = entry('k1', { answer: { findings: [1] }, storedAtMs: START_MS - 5 });
      const moved = entry('k2', { callToken: one.callToken });
      for (const entries of [
        [one, other, moved],
        [other, one, moved],
        [moved, other, one],
      ]) {
        const at = await another();
        expect(await at.store.importCache(entries)).toEqual({ added: 1, replaced: 0, kept: 0, conflicts: 2 });
        const [first] = entries;
        expect(await at.store.cacheEntries(WHOLE)).toEqual([first]);
      }
    });

    it('an answer that is still to come finds its place free', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      const claim = await bench.claimed('r1');
      const early = entry('k1', { callToken: claim.token, answer: { findings: ['forged'] } });
      expect(await bench.store.importCache([early])).toEqual({ added: 0, replaced: 0, kept: 0, conflicts: 1 });
      await bench.call(claim, '{"findings":["ours"]}');
      expect((await bench.store.response(claim.token))?.content).toBe('{"findings":["ours"]}');
      expect(await bench.store.importCache([{ ...early, completion: completion('{"findings":["ours"]}') }])).toMatchObject({ kept: 1 });
    });

    it('what is stored in the future counts as stored now, and the same again changes nothing', async () => {
      const ahead = entry('k1', { recordedAtMs: START_MS + 1e12, storedAtMs: START_MS + 1e12 });
      await bench.store.importCache([ahead]);
      expect(await bench.store.cacheEntries(WHOLE)).toEqual([entry('k1', { recordedAtMs: START_MS, storedAtMs: START_MS })]);
      bench.clock.pass(5000);
      expect(await bench.store.importCache([ahead])).toEqual({ added: 0, replaced: 0, kept: 1, conflicts: 0 });
      expect(await bench.store.cachedKeys(['k1'], null, 4000)).toEqual(new Set());
      expect(await bench.store.importCache([entry('k1', { callToken: 'later', storedAtMs: START_MS + 1000 })])).toMatchObject({
        replaced: 1,
      });
    });

    it("an imported answer is no run's own, whatever run it names as its origin", async () => {
      const own = (runId: string) => ({ runId, jobId: 'j1', costNanoUsd: 7 });
      await bench.plan('off', [jobOfKey('j1', 0, 'k1')], { settings: settings({ cacheMode: 'off' }) });
      await bench.plan('r1', [jobOfKey('j1', 0, 'k2')]);
      await bench.store.importCache([entry('k1', { origin: own('off') }), entry('k2', { origin: own('r1') })]);
      expect((await bench.claimed('off')).work.kind).toBe('call');
      expect(await work(bench, 'r1')).toBe(0);
      expect(await bench.row('r1', 'j1')).toMatchObject({ cached: true, costNanoUsd: 0, origin: { ...own('r1'), latencyMs: 1234.5 } });
      expect((await bench.store.runTotals('r1')).cacheHits).toBe(1);
    });

    it('an imported answer that is dropped goes, also while the run lives that it names as its origin', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await bench.store.importCache([entry('k2', { origin: { runId: 'r1', jobId: 'j1', costNanoUsd: null } })]);
      await bench.store.invalidateCache(ALL);
      await bench.store.pruneUnused({ dryRun: false });
      expect(await bench.store.response('foreign k2')).toBeNull();
    });

    it('costs of any size are added up', async () => {
      const dear = (key: string) => entry(key, { origin: { runId: 'r', jobId: 'j', costNanoUsd: Number.MAX_SAFE_INTEGER } });
      const entries = Array.from({ length: 1100 }, (_, index) => dear(`k${index}`));
      await bench.store.importCache(entries);
      const [model] = (await bench.store.cacheStats()).byModel;
      expect(model?.paidNanoUsd).toBeCloseTo(1100 * Number.MAX_SAFE_INTEGER, -10);
    });

    it('an answer that was invalidated comes back by an import of what was exported', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await work(bench, 'r1');
      const exported = await bench.store.cacheEntries(WHOLE);
      await bench.store.invalidateCache(ALL);
      expect(await bench.store.importCache(exported)).toEqual({ added: 1, replaced: 0, kept: 0, conflicts: 0 });
      expect(await bench.store.cacheEntries(WHOLE)).toEqual(exported);
    });
  });

  describe(`${name}: pruning`, () => {
    it('a pruned run is gone, and its answers are still served with their origin', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]);
      await work(bench, 'r1');
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 2, calls: 2 });
      expect(await bench.store.getRun('r1')).toBeNull();
      expect(await bench.store.listRuns()).toEqual([]);
      expect(await bench.store.runsWithoutSummary()).toEqual([]);
      expect(await bench.store.jobRecord('r1', 'j1')).toBeNull();
      await bench.plan('r2', [jobOfKey('j1', 0, 'k1')]);
      expect(await work(bench, 'r2')).toBe(0);
      const origin = { runId: 'r1', jobId: 'j1', costNanoUsd: 5000, latencyMs: 1234.5 };
      expect(await bench.row('r2', 'j1')).toMatchObject({ cached: true, origin });
      expect((await bench.store.cacheStats()).byModel).toMatchObject([{ entries: 2, paidNanoUsd: 10_000 }]);
    });

    it('an answer that another run rests on stays, whatever became of its cache entry', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2'), jobOfKey('j3', 2, 'k3')]);
      await work(bench, 'r1');
      const chunks = [step('k1', { kind: 'chunk', index: 0 }), step('k2', { kind: 'chunk', index: 1 })];
      await bench.plan('r2', [job('j1', 0, { steps: chunks })]);
      expect(await work(bench, 'r2')).toBe(0);
      const shown = await bench.store.jobRecord('r2', 'j1');
      await bench.store.invalidateCache(ALL);
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 3, calls: 3 });
      await bench.store.pruneUnused({ dryRun: false });
      expect(await bench.store.jobRecord('r2', 'j1')).toEqual(shown);
      const tokens = shown?.steps.flatMap(({ callToken }) => callToken ?? []) ?? [];
      expect(tokens).toHaveLength(2);
      for (const token of tokens) expect(await bench.store.response(token)).toEqual(completion());
    });

    it('the old answer of a job that is asked afresh stays until the new one is there', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await work(bench, 'r1');
      await bench.plan('r2', [jobOfKey('j1', 0, 'k1')]);
      await bench.finish(await bench.claimed('r2'), { verdict: 'fail' });
      await bench.store.finishRun('r2');
      const token = (await bench.row('r2', 'j1')).result?.callToken ?? '';
      expect(await bench.store.retryJobs('r2', { of: 'failed', jobIds: null, reasons: null })).toEqual({ requeued: 1 });
      await bench.store.invalidateCache(ALL);
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 1, calls: 1 });
      await bench.store.pruneUnused({ dryRun: false });
      expect(await bench.store.response(token)).toEqual(completion());
    });

    it('an unfinished run is refused, and so is one whose paid work still runs', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      const refusal = await bench.store.pruneRun('r1').catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(UserError);
      expect(refusal).toMatchObject({ exitCode: 7, message: expect.stringContaining('r1') });
      const claim = await bench.claimed('r1');
      await bench.call(claim);
      await bench.store.cancelRun('r1');
      await expect(bench.store.pruneRun('r1')).rejects.toMatchObject({ exitCode: 7 });
      await bench.finish(finishOf(await bench.accept(claim)));
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 1, calls: 1 });
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 0, calls: 0 });
    });

    it('a cancelled run whose paid answer waits to be judged is held, and refused', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]);
      expect(await bench.store.pruneOutlook('r1')).toMatchObject({ openJobs: 2 });
      const claim = await bench.claimed('r1');
      await bench.call(claim);
      await bench.store.removeWorker('w1');
      await bench.store.cancelRun('r1');
      expect((await bench.store.runTotals('r1')).jobs).toMatchObject({ queued: 1, running: 0, cancelled: 1 });
      expect(await bench.store.pruneOutlook('r1')).toMatchObject({ openJobs: 1 });
      await expect(bench.store.pruneRun('r1')).rejects.toMatchObject({ exitCode: 7 });
      const judge = await bench.claimed('r1', 'w2');
      await bench.finish(finishOf(await bench.accept(judge, { findings: [] }, claim.token)));
      expect(await bench.store.pruneOutlook('r1')).toMatchObject({ openJobs: 0 });
      expect(await bench.store.pruneRun('r1')).toEqual({ jobs: 2, calls: 1 });
      expect(await bench.store.pruneOutlook('r1')).toBeNull();
    });

    it('other runs stay as they were', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2'), jobOfKey('j3', 2, 'k3')]);
      await work(bench, 'r1');
      await bench.finish(await bench.claimed('r2'));
      await bench.complete(await bench.claimed('r2'));
      const before = { rows: await bench.rows('r2'), totals: await bench.store.runTotals('r2'), run: await bench.run('r2') };
      await bench.store.pruneRun('r1');
      await bench.store.pruneUnused({ dryRun: false });
      expect({ rows: await bench.rows('r2'), totals: await bench.store.runTotals('r2'), run: await bench.run('r2') }).toEqual(before);
      expect(await work(bench, 'r2')).toBe(1);
    });

    it('what nothing refers to is counted, then deleted; a dry run may look ahead', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2')]);
      await work(bench, 'r1');
      expect(await bench.store.pruneUnused({ dryRun: true })).toEqual({ rows: 0, sizeBytes: 0 });
      const ahead = await bench.store.pruneUnused({ dryRun: true, ifGone: { runIds: ['r1'], cacheBeforeMs: START_MS + 1 } });
      // Two answers, two texts of one structure, two records of keys.
      expect(ahead.rows).toBe(7);
      await bench.store.pruneRun('r1');
      const kept = await bench.store.pruneUnused({ dryRun: true });
      expect(kept.rows).toBe(3);
      await bench.store.invalidateCache(ALL);
      const found = await bench.store.pruneUnused({ dryRun: true });
      expect(found).toEqual(ahead);
      expect(await bench.store.pruneUnused({ dryRun: false })).toEqual(found);
      expect(await bench.store.pruneUnused({ dryRun: true })).toEqual({ rows: 0, sizeBytes: 0 });
    });

    it('the same documents can be planned again after their texts were pruned', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      await work(bench, 'r1');
      await bench.store.pruneRun('r1');
      await bench.store.pruneUnused({ dryRun: false });
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      expect((await bench.store.canonicalText('r1', 'a.md'))?.text).toBe('text of a.md');
      expect(await work(bench, 'r1')).toBe(0);
    });

    it('space is given back when nobody works, and only then', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k1')]);
      expect(await bench.store.compact()).toBe('busy');
      for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
      expect(await bench.store.compact()).toBe('done');
    });
  });
}
