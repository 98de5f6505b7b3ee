import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, document, failure, job, jobOfKey, MANIFEST, newRun, settings, step, TTL_MS } from './rows.ts';

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
      // Whichever comes first.
      expect(openings.map(({ joined }) => joined).sort()).toEqual([false, true]);
      const runs = await bench.store.listRuns();
      expect(openings.map(({ run }) => run.runId)).toEqual([runs[0]?.runId, runs[0]?.runId]);
      expect(runs).toHaveLength(1);
    });

    it('a new run starts as planning, with all that was said of it', async () => {
      const { run } = await bench.store.openRun(newRun('r1'));
      expect({ isCopy: false, ...run }).toEqual({
        isCopy: false,
        runId: 'r1',
        identity: 'identity of r1',
        holdsIdentity: true,
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
        revision: 0,
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

    it('a change of the cache mode never gives one key two running steps in a run', async () => {
      for (const [from, to] of [
        ['read-write', 'off'],
        ['off', 'read-write'],
      ] as const) {
        const id = `from ${from}`;
        await bench.plan(id, [jobOfKey('j1', 0, id), jobOfKey('j2', 1, id)], { settings: settings({ cacheMode: from }) });
        const running = await bench.claimed(id, 'w1');
        await bench.store.openRun(newRun('again', { identity: `identity of ${id}`, settings: settings({ cacheMode: to }) }));
        expect((await bench.claim(id, 'w2')).kind).toBe('busy');
        await bench.store.settle(running.token, { kind: 'handed_back' });
        await bench.complete(await bench.claimed(id, 'w2'));
        expect((await bench.claimed(id, 'w2')).work.kind).toBe('finish');
      }
    });

    it('a step that is put back after a change of the cache mode shares the flights of the new mode', async () => {
      await bench.plan('r1', [job('j1', 0)], { settings: settings({ cacheMode: 'off' }) });
      await bench.plan('r2', [job('j1', 0)]);
      const running = await bench.claimed('r1');
      await bench.store.openRun(newRun('again', { identity: 'identity of r1' }));
      await bench.store.settle(running.token, { kind: 'handed_back' });
      await bench.claimed('r1');
      expect((await bench.claim('r2')).kind).toBe('busy');
    });

    it('a joiner that names a folder moves the run there, under its own name, with all files to write', async () => {
      await bench.plan('r1', [job('j1', 0)], { identity: 'same' });
      await bench.complete(await bench.claimed('r1'));
      await bench.markWritten('r1');
      const join = (runId: string) => bench.store.openRun(newRun(runId, { identity: 'same', outDir: `/mnt/${runId}`, moveOut: true }));
      expect((await join('r2')).run).toMatchObject({ runId: 'r1', outDir: '/mnt/r1', summaryAtMs: null });
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toHaveLength(1);
      await bench.markWritten('r1');
      // Named again, the folder is the same and its files are still good.
      expect((await join('r3')).run).toMatchObject({ outDir: '/mnt/r1', summaryAtMs: bench.clock.nowMs });
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toEqual([]);
    });

    it('forceNew takes the identity; the older run goes on under its own name', async () => {
      await bench.plan('r1', [job('j1', 0)], { identity: 'same' });
      const { run, joined } = await bench.store.openRun(newRun('r2', { identity: 'same', forceNew: true }));
      expect([run.runId, joined]).toEqual(['r2', false]);
      expect([run.holdsIdentity, (await bench.run('r1')).holdsIdentity]).toEqual([true, false]);
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
      expect(await bench.store.cancelRun('r1')).toMatchObject({ changed: true });
      expect(await bench.store.cancelRun('r1')).toMatchObject({ changed: false });
      expect(await bench.states('r1')).toEqual(['running', 'cancelled']);
      expect(await bench.claim('r1')).toEqual({ kind: 'stopped', state: 'cancelled' });
      await bench.markWritten('r1');
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

    it('what a dead worker held in a cancelled run ends: unpaid as cancelled, paid and unjudged by whoever claims it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const [unpaid, paid, checked] = [await bench.claimed('r1'), await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.store.markSent(unpaid.token);
      await bench.call(paid);
      finishOf(await bench.answer(checked));
      await bench.store.cancelRun('r1');
      bench.clock.pass(TTL_MS);
      expect(await bench.store.cancelRun('r1')).toMatchObject({ changed: false });
      expect((await bench.store.runTotals('r1')).jobs).toMatchObject({ cancelled: 1, running: 0, queued: 2 });
      const finish = await bench.claimed('r1', 'w2');
      const judge = await bench.claimed('r1', 'w3');
      for (const claim of [finish, judge]) {
        if (claim.work.kind === 'finish') await bench.finish(claim);
        else await bench.finish(finishOf(await bench.accept(claim, { findings: [] }, paid.token)));
      }
      expect([finish.work.kind, judge.work.kind].sort()).toEqual(['finish', 'judge']);
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'stopped', state: 'cancelled' });
      expect(await bench.states('r1')).toEqual(['cancelled', 'succeeded', 'succeeded']);
    });

    it('a cancel spares what is paid: an answer that nobody has judged, checks that nobody has run', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const [paid, checked] = [await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.call(paid);
      finishOf(await bench.answer(checked));
      bench.clock.pass(TTL_MS);
      await bench.store.cancelRun('r1');
      expect(await bench.states('r1')).toEqual(['queued', 'queued', 'cancelled']);
      expect([(await bench.claimed('r1', 'w2')).work.kind, (await bench.claimed('r1', 'w3')).work.kind].sort()).toEqual([
        'finish',
        'judge',
      ]);
    });

    it('in a cancelled run a step whose hit has expired ends', async () => {
      await bench.plan('r0', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheTtlMs: TTL_MS + 1000 }) });
      const [source, lost] = [await bench.claimed('r0', 'w2'), await bench.claimed('r1', 'w1')];
      await bench.complete(source);
      await bench.store.cancelRun('r1');
      bench.clock.pass(TTL_MS);
      await bench.claim('r0', 'w2');
      expect(await bench.states('r1')).toEqual(['queued']);
      bench.clock.pass(1000);
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'stopped', state: 'cancelled' });
      expect(await bench.states('r1')).toEqual(['cancelled']);
      expect(await bench.accept(lost)).toEqual({ applied: false });
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
        paused: null,
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
