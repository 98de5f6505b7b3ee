import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, INVALID, job, jobOfKey, lane, PAID, settings, step, TTL_MS, USAGE } from './rows.ts';

/** What is paid for is kept, judged once and served to whoever asks the same. */
export function answersContract(name: string, open: OpenStore): void {
  describe(`${name}: answers`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    it('the settle of the last call hands over the leased finish step', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await bench.call(claim);
      const settled = await bench.store.settle(claim.token, {
        kind: 'answered',
        callToken: claim.token,
        answer: { findings: [1] },
        repaired: true,
        call: PAID,
      });
      expect(settled).toMatchObject({ applied: true, retryAtMs: null, ended: null });
      const finish = finishOf(settled);
      expect(finish.work).toEqual({
        kind: 'finish',
        answers: [
          {
            ...{ stepKind: 'answer', index: 0, asked: { kind: 'whole' }, callToken: claim.token },
            ...{ answer: { findings: [1] }, repaired: true, mode: 'json_schema' },
          },
        ],
      });
      expect(await bench.states('r1')).toEqual(['running']);
      expect(await bench.finish(finish)).toEqual({
        applied: true,
        finish: null,
        retryAtMs: null,
        ended: { state: 'succeeded', error: null },
        paused: null,
      });
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
    });

    it('a job finishes only after the last of its calls', async () => {
      const chunks = [step('k1', { kind: 'chunk', index: 0 }), step('k2', { kind: 'chunk', index: 1 })];
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      expect(await bench.answer(second)).toMatchObject({ applied: true, finish: null });
      const finish = finishOf(await bench.answer(first));
      expect(finish.work).toMatchObject({
        answers: [
          { index: 0, callToken: first.token },
          { index: 1, callToken: second.token },
        ],
      });
    });

    it('a lost finish step is claimed again with the same answers', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const lost = finishOf(await bench.answer(await bench.claimed('r1', 'w1')));
      bench.clock.pass(TTL_MS);
      const taken = await bench.claimed('r1', 'w2');
      expect(taken.work).toEqual(lost.work);
      expect(await bench.finish(lost)).toEqual({ applied: false });
      await bench.finish(taken);
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('a stale token settles nothing, but its paid response is kept and used', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const stale = await bench.claimed('r1', 'w1');
      await bench.store.markSent(stale.token);
      bench.clock.pass(TTL_MS);
      const current = await bench.claimed('r1', 'w2');
      await bench.store.recordResponse(stale.token, completion('late'));
      expect(await bench.accept(stale)).toEqual({ applied: false });
      expect(await bench.store.response(stale.token)).toEqual(completion('late'));
      expect((await bench.row('r1', 'j1')).state).toBe('running');
      await bench.store.settle(current.token, { kind: 'handed_back' });
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', callToken: stale.token });
    });

    it('a stale worker says what its own unknown call cost, and changes no other', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const stale = await bench.claimed('r1', 'w1');
      await bench.store.markSent(stale.token);
      bench.clock.pass(TTL_MS);
      const current = await bench.claimed('r1', 'w2');
      await bench.store.markSent(current.token);
      expect((await bench.store.jobRecord('r1', 'j1'))?.calls.map((call) => call.state)).toEqual(['unknown', 'sent']);
      await bench.store.settle(stale.token, { kind: 'answered', callToken: current.token, answer: 1, repaired: false, call: PAID });
      expect((await bench.store.jobRecord('r1', 'j1'))?.calls.map((call) => call.state)).toEqual(['unknown', 'sent']);
      await bench.accept(stale);
      expect((await bench.store.jobRecord('r1', 'j1'))?.calls).toMatchObject([
        { state: 'settled', costNanoUsd: 5000, usage: USAGE },
        { state: 'sent', costNanoUsd: null, usage: null },
      ]);
    });

    it('a crash between the response and the settle is judged, not called again', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const crashed = await bench.claimed('r1', 'w1');
      await bench.call(crashed);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r1', 'w2');
      expect(judge.work).toEqual({
        kind: 'judge',
        stepKind: 'answer',
        key: 'key of j1',
        inputTokens: 100,
        rate: { price: null, maxOutputTokens: null },
        callToken: crashed.token,
        completion: completion(),
        reask: null,
        input: null,
      });
      await bench.finish(finishOf(await bench.accept(judge, { findings: [] }, crashed.token)));
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'succeeded',
        calls: 1,
        costNanoUsd: 5000,
        cached: false,
        latencyMs: 1234.5,
      });
      expect((await bench.store.jobRecord('r1', 'j1'))?.calls).toMatchObject([{ callToken: crashed.token, state: 'settled' }]);
    });

    it('queued twins of an answered key become hits, taken as finish work without a call', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')], { lanes: [lane({ concurrency: 1 })] });
      await bench.complete(await bench.claimed('r1'));
      const twin = await bench.claimed('r1', 'w2');
      expect(twin).toMatchObject({ job: { jobId: 'j2' }, work: { kind: 'finish', answers: [{ answer: { findings: [] } }] } });
      await bench.finish(twin);
      expect(await bench.row('r1', 'j2')).toMatchObject({
        state: 'succeeded',
        cached: true,
        calls: 0,
        costNanoUsd: 0,
        latencyMs: 1234.5,
        origin: { runId: 'r1', jobId: 'j1', costNanoUsd: 5000, latencyMs: 1234.5 },
      });
    });

    it('twins of one run share an answer in every cache mode', async () => {
      for (const cacheMode of ['read', 'refresh', 'off'] as const) {
        await bench.plan(cacheMode, [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')], { settings: settings({ cacheMode }) });
        await bench.complete(await bench.claimed(cacheMode));
        expect((await bench.claimed(cacheMode)).work.kind).toBe('finish');
        await bench.store.cancelRun(cacheMode);
        bench.clock.pass(1);
      }
    });

    it('a response that a run left unjudged is judged by the next run that has its key, not paid again', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const left = await bench.claimed('r1', 'w1');
      await bench.call(left);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      expect((await bench.claim('r2', 'w2')).kind).toBe('busy');
      await bench.store.cancelRun('r1');
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r2', 'w2');
      expect(judge.work).toMatchObject({ kind: 'judge', callToken: left.token });
      await bench.finish(finishOf(await bench.accept(judge, { findings: [] }, left.token)));
      expect(await bench.row('r2', 'j1')).toMatchObject({
        ...{ state: 'succeeded', cached: true, calls: 0, costNanoUsd: 0 },
        origin: { runId: 'r1', jobId: 'j1', costNanoUsd: null },
      });
      await bench.finish(await bench.claimed('r1', 'w2'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', cached: false, calls: 1, costNanoUsd: null });
    });

    it('a bad response that another run took and rejected is judged by its own run too, once, and not paid for again', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const left = await bench.claimed('r1', 'w1');
      await bench.call(left, '{"findings":1}');
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      bench.clock.pass(TTL_MS);
      const reject = (token: string) =>
        bench.store.settle(token, {
          ...{ kind: 'superseded', callToken: left.token, failure: INVALID, call: PAID },
          reask: { answer: '{"findings":1}', errors: ['/findings must be an array'] },
        });
      await reject((await bench.claimed('r2', 'w2')).token);
      await bench.store.cancelRun('r2');
      const own = await bench.claimed('r1', 'w2');
      expect(own.work).toMatchObject({ kind: 'judge', callToken: left.token });
      await reject(own.token);
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'call', stepKind: 'reask' });
      expect((await bench.row('r1', 'j1')).calls).toBe(1);
    });

    it('a response of another run is not judged by a run that takes no answers, nor one that gives none', async () => {
      for (const [giver, taker] of [
        ['read', 'read-write'],
        ['read-write', 'off'],
        ['read-write', 'refresh'],
      ] as const) {
        const key = `${giver} to ${taker}`;
        await bench.plan(`giver ${key}`, [jobOfKey('j1', 0, key)], { settings: settings({ cacheMode: giver }) });
        await bench.call(await bench.claimed(`giver ${key}`, 'w1'));
        bench.clock.pass(TTL_MS);
        await bench.plan(`taker ${key}`, [jobOfKey('j1', 0, key)], { settings: settings({ cacheMode: taker }) });
        expect((await bench.claimed(`taker ${key}`, 'w2')).work.kind).toBe('call');
      }
    });

    it('a later run is served from the cache', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      expect([...(await bench.store.cachedKeys(['k', 'other'], null, null))]).toEqual(['k']);
      await bench.finish(await bench.claimed('r2'));
      expect(await bench.row('r2', 'j1')).toMatchObject({ cached: true, calls: 0, origin: { runId: 'r1', jobId: 'j1' } });
      expect((await bench.store.runTotals('r2')).cacheHits).toBe(1);
    });

    it('a queued step of another run becomes a hit while it waits', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      await bench.complete(await bench.claimed('r1'));
      expect((await bench.claimed('r2')).work.kind).toBe('finish');
    });

    it('off takes and gives nothing, read gives nothing, refresh takes nothing older than its run', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'read' }) });
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'off' }) });
      const second = await bench.claimed('r2');
      expect(second.work.kind).toBe('call');
      await bench.complete(second);
      await bench.plan('r3', [jobOfKey('j1', 0, 'k')]);
      const third = await bench.claimed('r3');
      expect(third.work.kind).toBe('call');
      await bench.complete(third);
      bench.clock.pass(1);
      await bench.plan('r4', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      expect((await bench.claimed('r4')).work.kind).toBe('call');
    });

    it('a hit that has expired by the time of its claim is called', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheTtlMs: 1000 }) });
      expect([...(await bench.store.cachedKeys(['k'], null, 1000))]).toEqual(['k']);
      bench.clock.pass(1000);
      expect([...(await bench.store.cachedKeys(['k'], null, 1000))]).toEqual([]);
      expect((await bench.claimed('r2')).work.kind).toBe('call');
    });

    it('the answers of keys are read as long as they would be served, a re-ask for what it mended', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'mended'), jobOfKey('j3', 2, 'open')]);
      await bench.answer(await bench.claimed('r1'), { findings: [1] });
      await bench.supersede(await bench.claimed('r1'));
      const reask = await bench.claimed('r1');
      expect(reask.work).toMatchObject({ key: 'mended' });
      expect(await bench.store.cachedAnswers(['k', 'mended', 'open'], null, 1000)).toEqual(new Map([['k', { findings: [1] }]]));
      bench.clock.pass(1);
      await bench.answer(reask, null);
      const answers = async (freshAfterMs: number | null) => [
        ...(await bench.store.cachedAnswers(['k', 'mended'], freshAfterMs, 1000)).keys(),
      ];
      expect((await bench.store.cachedAnswers(['mended'], null, null)).get('mended')).toBeNull();
      expect(await answers(null)).toEqual(['k', 'mended']);
      expect(await answers(START_MS)).toEqual(['mended']);
      bench.clock.pass(999);
      expect(await answers(null)).toEqual(['mended']);
    });

    it('an invalid answer is never served and a valid one replaces what the cache holds', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      expect((await bench.store.cachedKeys(['k'], null, null)).size).toBe(0);
      const reask = await bench.claimed('r1');
      await bench.finish(finishOf(await bench.answer(reask, { findings: ['mended'] })));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      expect((await bench.claimed('r2')).work).toMatchObject({ answers: [{ callToken: reask.token, answer: { findings: ['mended'] } }] });
    });

    it('a re-ask carries the answer to mend, comes first, and its twins wait for it', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
      expect(await bench.supersede(await bench.claimed('r1'))).toEqual({
        applied: true,
        finish: null,
        retryAtMs: null,
        ended: null,
        paused: null,
      });
      expect(await bench.states('r1')).toEqual(['queued', 'queued', 'queued']);
      const reask = await bench.claimed('r1');
      expect(reask).toMatchObject({
        job: { jobId: 'j1' },
        work: {
          kind: 'call',
          stepKind: 'reask',
          key: 'k',
          attempts: 0,
          reask: { answer: '{"findings":1}', errors: ['/findings must be an array'] },
        },
      });
      expect((await bench.claimed('r1', 'w2')).job.jobId).toBe('j3');
      const finish = finishOf(await bench.answer(reask));
      expect(finish.work).toMatchObject({ answers: [{ stepKind: 'reask', callToken: reask.token }] });
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'finish', answers: [{ callToken: reask.token }] });
    });

    it('twins wait for a queued re-ask, also in a run that works beside it', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), job('j2', 1)]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      const first = await bench.claimed('r1', 'w1');
      await bench.claimed('r1', 'w2');
      await bench.supersede(first);
      expect((await bench.claim('r2', 'w3')).kind).toBe('busy');
    });

    it('a re-ask of an abandoned run blocks nobody else', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      expect((await bench.claimed('r2')).work).toMatchObject({ kind: 'call', stepKind: 'answer' });
    });

    it('a re-ask is not served the response that it is to mend', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const stale = await bench.claimed('r1', 'w1');
      await bench.store.markSent(stale.token);
      bench.clock.pass(TTL_MS);
      await bench.supersede(await bench.claimed('r1', 'w2'));
      await bench.store.recordResponse(stale.token, completion('late'));
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'call', stepKind: 'reask' });
    });

    it('an invalid answer that is not sent back fails its job and the twins, and leaves nothing that a budget could stop', async () => {
      const budget = { nanoUsd: null, tokens: 1000, activeMs: null, warnAt: 0.8, group: null };
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')], {
        settings: settings({ budget, rates: { model: { price: 'free', maxOutputTokens: 100 } } }),
      });
      const first = await bench.claimed('r1');
      await bench.call(first, '{"findings":1}');
      const failure = { ...INVALID, message: 'too long to be sent back' };
      const settled = await bench.store.settle(first.token, { kind: 'failed', callToken: first.token, failure, call: PAID });
      const error = { reason: 'invalid_answer', message: failure.message };
      expect(settled).toEqual({ applied: true, finish: null, retryAtMs: null, ended: { state: 'failed', error }, paused: null });
      const failed = { state: 'failed', verdict: 'error', error };
      expect(await bench.rows('r1')).toMatchObject([
        { ...failed, calls: 1 },
        { ...failed, calls: 0 },
      ]);
      expect(await bench.store.openCalls('r1')).toEqual([]);
      expect((await bench.store.runTotals('r1')).waiting).toEqual([]);
      expect((await bench.claim('r1')).kind).toBe('drained');
    });

    it('an invalid re-ask fails the job and what waited for it', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      const reask = await bench.claimed('r1');
      await bench.call(reask);
      const settled = await bench.store.settle(reask.token, { kind: 'failed', callToken: reask.token, failure: INVALID, call: PAID });
      const error = { reason: 'invalid_answer', message: INVALID.message };
      expect(settled).toEqual({ applied: true, finish: null, retryAtMs: null, ended: { state: 'failed', error }, paused: null });
      expect(await bench.rows('r1')).toMatchObject([
        { state: 'failed', verdict: 'error', error, calls: 2 },
        { state: 'failed', verdict: 'error', error, calls: 0 },
      ]);
    });
  });
}
