import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, document, failure, job, MANIFEST, newRun, settings, step, TTL_MS } from './rows.ts';

/** How runs begin, are joined, end and are cancelled. */
export function runsContract(name: string, open: OpenStore): void {
  describe(`${name}: runs`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    it('two openings of one identity at once are one run', async () => {
      const openings = await Promise.all([
        bench.store.openRun(newRun('r1', { identity: 'same' })),
        bench.store.openRun(newRun('r2', { identity: 'same' })),
      ]);
      expect(openings.map((opening) => [opening.run.runId, opening.joined])).toEqual([
        ['r1', false],
        ['r1', true],
      ]);
      expect(await bench.store.listRuns()).toHaveLength(1);
    });

    it('a new run starts as planning, with all that was said of it', async () => {
      const { run } = await bench.store.openRun(newRun('r1'));
      expect(run).toEqual({
        runId: 'r1',
        identity: 'identity of r1',
        name: 'sample',
        state: 'planning',
        manifestPath: '/home/ann/spec/manifest.json',
        manifest: MANIFEST,
        settings: settings(),
        outDir: '/home/ann/spec/.aieval/runs/r1',
        createdAtMs: START_MS,
        plannedAtMs: null,
        finishedAtMs: null,
        summaryAtMs: null,
        freshAfterMs: null,
      });
      expect(await bench.store.getRun('r1')).toEqual(run);
      expect(await bench.store.getRun('none')).toBeNull();
    });

    it('a joiner brings its settings and lane limits; place and age of the run stay', async () => {
      await bench.store.openRun(newRun('r1', { identity: 'same' }));
      bench.clock.pass(5000);
      const changed = settings({ cacheMode: 'refresh', runConcurrency: 3 });
      const { run } = await bench.store.openRun(newRun('r2', { identity: 'same', settings: changed, outDir: '/elsewhere' }));
      expect(run).toMatchObject({ runId: 'r1', settings: changed, outDir: '/home/ann/spec/.aieval/runs/r1', createdAtMs: START_MS });
      expect(run.freshAfterMs).toBe(START_MS);
    });

    it('a joiner that changes the cache mode changes which flights its queued steps share', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.plan('r2', [job('j1', 0)]);
      await bench.claimed('r1');
      expect((await bench.claim('r2')).kind).toBe('busy');
      await bench.store.openRun(newRun('again', { identity: 'identity of r2', settings: settings({ cacheMode: 'off' }) }));
      expect((await bench.claimed('r2')).work.kind).toBe('call');
    });

    it('forceNew takes the identity; the older run goes on under its own name', async () => {
      await bench.plan('r1', [job('j1', 0)], { identity: 'same' });
      const { run, joined } = await bench.store.openRun(newRun('r2', { identity: 'same', forceNew: true }));
      expect([run.runId, joined]).toEqual(['r2', false]);
      expect((await bench.store.openRun(newRun('r3', { identity: 'same' }))).run.runId).toBe('r2');
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('a finished run is not joined', async () => {
      await bench.plan('r1', [], { identity: 'same' });
      await bench.store.finishRun('r1');
      expect(await bench.store.openRun(newRun('r2', { identity: 'same' }))).toMatchObject({ joined: false, run: { runId: 'r2' } });
    });

    it('a half-planned run cannot finish', async () => {
      await bench.store.openRun(newRun('r1'));
      await bench.store.addDocuments('r1', [document('a.md')]);
      await bench.store.addJobs('r1', [job('j1', 0)]);
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.store.finishRun('r1')).toBe(false);
      await bench.store.markPlanned('r1');
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('exactly one caller finishes a run, and only when every job has ended', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      expect(await bench.store.finishRun('r1')).toBe(false);
      await bench.complete(claim);
      bench.clock.pass(10);
      const finishes = await Promise.all([bench.store.finishRun('r1'), bench.store.finishRun('r1')]);
      expect(finishes.filter(Boolean)).toHaveLength(1);
      expect(await bench.store.getRun('r1')).toMatchObject({ state: 'finished', plannedAtMs: START_MS, finishedAtMs: START_MS + 10 });
      expect(await bench.claim('r1')).toEqual({ kind: 'stopped', state: 'finished' });
    });

    it('planning twice adds nothing and changes nothing', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      expect(await bench.states('r1')).toEqual(['running', 'queued']);
      expect((await bench.store.jobRecord('r1', 'j1'))?.steps).toHaveLength(1);
      expect(await bench.store.documents('r1')).toHaveLength(2);
      await bench.complete(claim);
      expect(await bench.states('r1')).toEqual(['succeeded', 'queued']);
    });

    it('cancel ends queued work once; what runs is finished and kept', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      expect(await bench.store.cancelRun('r1')).toEqual({ changed: true });
      expect(await bench.store.cancelRun('r1')).toEqual({ changed: false });
      expect(await bench.states('r1')).toEqual(['running', 'cancelled']);
      expect(await bench.claim('r1')).toEqual({ kind: 'stopped', state: 'cancelled' });
      await bench.store.markSummary('r1');
      await bench.store.recordResponse(claim.token, completion());
      await bench.finish(finishOf(await bench.accept(claim)));
      expect(await bench.states('r1')).toEqual(['succeeded', 'cancelled']);
      expect((await bench.store.runsWithoutSummary()).map((run) => run.runId)).toEqual(['r1']);
    });

    it('a finish step lost in a cancelled run is still claimed', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      finishOf(await bench.answer(await bench.claimed('r1', 'w1')));
      await bench.store.cancelRun('r1');
      bench.clock.pass(TTL_MS);
      await bench.finish(await bench.claimed('r1', 'w2'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('in a cancelled run nothing is called again', async () => {
      await bench.plan(
        'r1',
        ['j1', 'j2', 'j3', 'j4'].map((id, seq) => job(id, seq)),
      );
      const claims = [];
      for (const id of ['w1', 'w1', 'w1', 'w2']) claims.push(await bench.claimed('r1', id));
      const [failing, invalid, unsent, lost] = claims;
      if (failing === undefined || invalid === undefined || unsent === undefined || lost === undefined) throw new Error('four claims');
      await bench.store.cancelRun('r1');
      expect(await bench.fail(failing, failure())).toEqual({
        applied: true,
        finish: null,
        retryAtMs: null,
        ended: { state: 'cancelled', error: null },
      });
      expect(await bench.supersede(invalid)).toMatchObject({ finish: null, ended: { state: 'cancelled' } });
      expect(await bench.store.settle(unsent.token, { kind: 'handed_back' })).toMatchObject({ ended: { state: 'cancelled' } });
      bench.clock.pass(TTL_MS);
      expect(await bench.claim('r1', 'w3')).toEqual({ kind: 'stopped', state: 'cancelled' });
      expect(await bench.states('r1')).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
    });

    it('a job that lost steps to a cancel ends when its last running step does', async () => {
      const chunks = [step('k1', { kind: 'chunk', index: 0 }), step('k2', { kind: 'chunk', index: 1 })];
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const claim = await bench.claimed('r1');
      await bench.store.cancelRun('r1');
      expect(await bench.states('r1')).toEqual(['running']);
      expect(await bench.answer(claim)).toMatchObject({ applied: true, finish: null, ended: { state: 'cancelled', error: null } });
      expect(await bench.states('r1')).toEqual(['cancelled']);
    });

    it('jobs planned into a cancelled run are cancelled', async () => {
      await bench.store.openRun(newRun('r1'));
      await bench.store.addDocuments('r1', [document('a.md')]);
      await bench.store.cancelRun('r1');
      await bench.store.addJobs('r1', [job('j1', 0)]);
      await bench.store.markPlanned('r1');
      expect(await bench.states('r1')).toEqual(['cancelled']);
      expect(await bench.store.getRun('r1')).toMatchObject({ state: 'cancelled', finishedAtMs: START_MS });
    });

    it('runs are listed newest first', async () => {
      for (const id of ['r1', 'r2', 'r3']) {
        await bench.store.openRun(newRun(id));
        if (id !== 'r2') bench.clock.pass(1);
      }
      expect((await bench.store.listRuns()).map((run) => run.runId)).toEqual(['r3', 'r2', 'r1']);
    });
  });
}
