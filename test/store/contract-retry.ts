import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, failure, INVALID, job, jobOfKey, newRun, settings, step, TTL_MS } from './rows.ts';

/** Jobs with verdict fail whose answers are asked for anew. */
export function retryContract(name: string, open: OpenStore): void {
  describe(`${name}: retry of verdicts`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(async () => {
      await expectTrueTotals(bench.store);
      await opened.dispose();
    });

    const FAIL = { verdict: 'fail' } as const;

    /** Asks for new answers, a moment after the old ones. */
    async function retry(jobIds: readonly string[] | null = null, runId = 'r1'): Promise<{ requeued: number }> {
      bench.clock.pass(1000);
      const reply = await bench.store.retryJobs(runId, { of: 'failed', jobIds, reasons: null });
      bench.clock.pass(1000);
      return reply;
    }

    /** Takes a claim, whatever its work, to a verdict. */
    async function judge(claim: Claim, verdict: 'pass' | 'fail' = 'pass'): Promise<void> {
      await (claim.work.kind === 'finish' ? bench.finish(claim, { verdict }) : bench.complete(claim, { verdict }));
    }

    it('a job with verdict fail is asked anew: no verdict, its old result until the new one is there, one new call', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const old = await bench.claimed('r1');
      await judge(old, 'fail');
      await judge(await bench.claimed('r1'));
      await bench.store.finishRun('r1');
      await bench.markWritten('r1');
      expect(await retry()).toEqual({ requeued: 1 });
      expect(await retry()).toEqual({ requeued: 0 });
      expect(await bench.run('r1')).toMatchObject({ state: 'open', finishedAtMs: null, summaryAtMs: null });
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'queued',
        verdict: null,
        error: null,
        endedAtMs: null,
        result: { verdict: 'fail', callToken: old.token },
      });
      expect((await bench.store.runTotals('r1')).results).toMatchObject({ pass: 1, fail: 0, open: 1 });
      const claim = await bench.claimed('r1');
      expect(claim).toMatchObject({ job: { jobId: 'j1' }, work: { kind: 'call', attempts: 0 } });
      const finish = finishOf(await bench.answer(claim, { findings: ['new'] }));
      expect(finish.work).toMatchObject({ answers: [{ callToken: claim.token, answer: { findings: ['new'] } }] });
      await bench.finish(finish);
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'succeeded',
        verdict: 'pass',
        result: { verdict: 'pass', callToken: claim.token },
        calls: 2,
        cached: false,
      });
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
      expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toHaveLength(4);
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('only jobs with verdict fail are taken, and of them those that are named', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2), job('j4', 3)]);
      await judge(await bench.claimed('r1'), 'fail');
      await judge(await bench.claimed('r1'), 'fail');
      await bench.complete(await bench.claimed('r1'), { verdict: 'review' });
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect(await retry(['j2', 'j3', 'j4'])).toEqual({ requeued: 1 });
      expect(await bench.states('r1')).toEqual(['succeeded', 'queued', 'succeeded', 'failed']);
    });

    it('twins that are asked anew together share one new call; one that passed, or was not named, is left alone', async () => {
      await bench.plan(
        'r1',
        ['j1', 'j2', 'j3', 'j4'].map((id, seq) => jobOfKey(id, seq, 'k')),
      );
      await judge(await bench.claimed('r1'), 'fail');
      for (const verdict of ['fail', 'pass', 'fail'] as const) await judge(await bench.claimed('r1'), verdict);
      expect(await retry(['j1', 'j2'])).toEqual({ requeued: 2 });
      const claim = await bench.claimed('r1', 'w1');
      expect(claim.work.kind).toBe('call');
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      await judge(claim);
      const twin = await bench.claimed('r1', 'w2');
      expect(twin.work).toMatchObject({ kind: 'finish', answers: [{ callToken: claim.token }] });
      await judge(twin);
      expect((await bench.rows('r1')).map((row) => [row.verdict, row.calls, row.cached])).toEqual([
        ['pass', 2, false],
        ['pass', 0, true],
        ['pass', 0, true],
        ['fail', 0, true],
      ]);
      expect((await bench.store.runTotals('r1')).calls).toBe(2);
    });

    it('a job that rested on a cached answer pays for its new one', async () => {
      await bench.plan('r0', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r0'));
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r1'), 'fail');
      expect(await bench.row('r1', 'j1')).toMatchObject({ cached: true, origin: { runId: 'r0' } });
      await retry();
      await judge(await bench.claimed('r1'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ cached: false, origin: null, calls: 1, verdict: 'pass' });
      expect(await bench.row('r0', 'j1')).toMatchObject({ verdict: 'pass', calls: 1 });
    });

    it('an answer that another run stores later is a new one', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r1'), 'fail');
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await retry();
      const theirs = await bench.claimed('r2');
      await judge(theirs);
      expect((await bench.claimed('r1')).work).toMatchObject({ kind: 'finish', answers: [{ callToken: theirs.token }] });
    });

    it('with the cache off, only the run itself gives the new answer', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')], { settings: settings({ cacheMode: 'off' }) });
      await judge(await bench.claimed('r1'), 'fail');
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await judge(await bench.claimed('r2'));
      await judge(await bench.claimed('r1'));
      expect((await bench.claimed('r1')).work.kind).toBe('finish');
      expect((await bench.store.runTotals('r1')).calls).toBe(2);
    });

    it('the answer that a re-ask gave is history, and a new answer may be mended anew', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      const plain = await bench.claimed('r1');
      expect(plain.work).toMatchObject({ kind: 'call', stepKind: 'answer', reask: null });
      const finish = finishOf(await bench.answer(plain));
      expect(finish.work).toMatchObject({ answers: [{ stepKind: 'answer', callToken: plain.token }] });
      expect((await bench.store.jobRecord('r1', 'j1'))?.steps.map((row) => [row.kind, row.outcome])).toEqual([
        ['answer', 'answered'],
        ['reask', 'superseded'],
        ['finish', null],
      ]);
      await bench.finish(finish, FAIL);
      await retry();
      await bench.supersede(await bench.claimed('r1'));
      const mend = await bench.claimed('r1');
      expect(mend.work).toMatchObject({ kind: 'call', stepKind: 'reask' });
      expect(finishOf(await bench.answer(mend)).work).toMatchObject({ answers: [{ stepKind: 'reask', callToken: mend.token }] });
    });

    it('a job whose re-ask was paid in an earlier round is cached when its new answer is', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await judge(await bench.claimed('r2'));
      await judge(await bench.claimed('r1'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ verdict: 'pass', cached: true, origin: { runId: 'r2' }, calls: 2 });
    });

    it('all chunks of a job are asked anew', async () => {
      const chunks = [0, 1].map((index) => step(`k${index}`, { kind: 'chunk', index }));
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const round = async (verdict: 'pass' | 'fail') => {
        await bench.answer(await bench.claimed('r1'));
        await judge(await bench.claimed('r1'), verdict);
      };
      await round('fail');
      await retry();
      await round('pass');
      expect(await bench.row('r1', 'j1')).toMatchObject({ verdict: 'pass', calls: 4 });
    });

    it('a job that fails for good when it is asked anew has lost its old result, and can be retried from the dead-letter queue', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'failed',
        verdict: 'error',
        result: null,
        error: { reason: 'invalid_answer' },
        latencyMs: null,
        cached: false,
      });
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      const again = await bench.claimed('r1');
      expect(again.work.kind).toBe('call');
      await judge(again);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', verdict: 'pass', calls: 3 });
    });

    it('a new answer whose checks cannot run keeps the job from its old result, and stays', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      await bench.store.settle(finish.token, { kind: 'unjudged', failure: failure({ class: 'permanent', reason: 'check_error' }) });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', result: null, latencyMs: 1234.5 });
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      const again = await bench.claimed('r1');
      expect(again.work).toEqual(finish.work);
      await judge(again);
      expect(await bench.row('r1', 'j1')).toMatchObject({ verdict: 'pass', calls: 2 });
    });

    it('attempts, losses and hand-backs are counted afresh, and the freshness survives them', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r1'), 'fail');
      await retry();
      await bench.fail(await bench.claimed('r1'), failure());
      bench.clock.pass(1000);
      await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
      bench.clock.pass(TTL_MS);
      const claim = await bench.claimed('r1', 'w2');
      expect(claim.work).toMatchObject({ kind: 'call', attempts: 2 });
      await judge(claim);
      expect((await bench.row('r1', 'j1')).verdict).toBe('pass');
    });

    it('an answer that comes late, paid before and never seen, is taken for the new one', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const late = await bench.claimed('r1', 'w1');
      await bench.store.markSent(late.token);
      bench.clock.pass(TTL_MS);
      await judge(await bench.claimed('r1', 'w2'), 'fail');
      await retry();
      await bench.store.recordResponse(late.token, completion());
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', callToken: late.token });
    });

    it('an answer of before behind an open gate is not taken, and holds nothing up', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), job('j2', 1)]);
      const late = await bench.claimed('r1', 'w1');
      await bench.store.markSent(late.token);
      bench.clock.pass(TTL_MS);
      await judge(await bench.claimed('r1', 'w2'), 'fail');
      await bench.store.retryJobs('r1', { of: 'failed', jobIds: null, reasons: null });
      // In the very moment in which it was asked for anew.
      await bench.store.recordResponse(late.token, completion());
      const claims = [await bench.claimed('r1', 'w2'), await bench.claimed('r1', 'w2')];
      expect(claims.map(({ job: { jobId }, work }) => [jobId, work.kind])).toEqual([
        ['j1', 'call'],
        ['j2', 'call'],
      ]);
    });

    it('an unseen answer of before keeps no cancelled job open', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const late = await bench.claimed('r1', 'w1');
      await bench.store.markSent(late.token);
      bench.clock.pass(TTL_MS);
      await judge(await bench.claimed('r1', 'w2'), 'fail');
      await bench.store.recordResponse(late.token, completion());
      await retry();
      expect(await bench.store.cancelJobs('r1', ['j1'], { now: false })).toMatchObject({ cancelled: 1, running: 0 });
      expect((await bench.row('r1', 'j1')).verdict).toBe('fail');
    });

    it('a clock that was set back does not make an old answer a new one', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r1'), 'fail');
      bench.clock.pass(-3_600_000);
      await retry();
      expect((await bench.claimed('r1')).work.kind).toBe('call');
    });

    it('a job that is asked anew and cancelled has its old result again, whole, and can be asked anew later', async () => {
      await bench.plan('r0', [jobOfKey('j1', 0, 'k')]);
      await judge(await bench.claimed('r0'));
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), job('j2', 1)]);
      await judge(await bench.claimed('r1'), 'fail');
      await judge(await bench.claimed('r1'), 'fail');
      const before = await bench.row('r1', 'j1');
      await bench.markWritten('r1');
      await retry(['j1']);
      expect(await bench.store.cancelJobs('r1', ['j1'], { now: false })).toMatchObject({ cancelled: 1, running: 0 });
      expect(await bench.row('r1', 'j1')).toEqual({ ...before, endedAtMs: bench.clock.nowMs });
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
      expect(await retry(['j1'])).toEqual({ requeued: 1 });
      await judge(await bench.claimed('r1'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ verdict: 'pass', calls: 1, cached: false });
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('cancelled while it runs, a job asked anew has its new result if an answer comes, else its old one', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      for (let i = 0; i < 3; i += 1) await judge(await bench.claimed('r1'), 'fail');
      await retry();
      const [answered, failing, invalid] = [await bench.claimed('r1'), await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.store.cancelRun('r1');
      await judge(answered);
      const restored = { applied: true, finish: null, ended: { state: 'succeeded', error: null } };
      expect(await bench.fail(failing, failure())).toMatchObject(restored);
      expect(await bench.supersede(invalid)).toMatchObject(restored);
      expect((await bench.rows('r1')).map((row) => row.verdict)).toEqual(['pass', 'fail', 'fail']);
      // The run is opened again, and the cancelled re-ask of the last round does not end the next.
      expect(await retry(['j3'])).toEqual({ requeued: 1 });
      expect((await bench.run('r1')).state).toBe('open');
      await judge(await bench.claimed('r1'));
      expect((await bench.row('r1', 'j3')).verdict).toBe('pass');
    });

    it('a run that is cancelled while jobs are asked anew is finished, as before, once no job is open or missing', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      for (let i = 0; i < 2; i += 1) await judge(await bench.claimed('r1'), 'fail');
      await bench.store.finishRun('r1');
      await retry();
      expect(await bench.store.cancelRun('r1')).toEqual({ changed: true, cancelled: 2 });
      expect(await bench.run('r1')).toMatchObject({ state: 'finished', finishedAtMs: bench.clock.nowMs });
      expect((await bench.rows('r1')).map((row) => row.verdict)).toEqual(['fail', 'fail']);
      await retry();
      const running = await bench.claimed('r1');
      expect(await bench.store.cancelRun('r1')).toEqual({ changed: true, cancelled: 1 });
      expect([(await bench.run('r1')).state, await bench.store.finishRun('r1')]).toEqual(['cancelled', false]);
      await judge(running);
      expect([await bench.store.finishRun('r1'), (await bench.run('r1')).state]).toEqual([true, 'finished']);
      expect(await bench.store.finishRun('r1')).toBe(false);
    });

    it('a dead worker of a cancelled job asked anew leaves the old result, or the new one if it had paid', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      for (let i = 0; i < 2; i += 1) await judge(await bench.claimed('r1'), 'fail');
      await retry();
      await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
      const paid = await bench.claimed('r1', 'w1');
      await bench.call(paid);
      await bench.store.cancelJobs('r1', ['j1', 'j2'], { now: true });
      bench.clock.pass(TTL_MS);
      const claim = await bench.claimed('r1', 'w2');
      expect(claim.work).toMatchObject({ kind: 'judge', callToken: paid.token });
      await bench.finish(finishOf(await bench.accept(claim, { findings: [] }, paid.token)));
      expect((await bench.rows('r1')).map((row) => row.verdict)).toEqual(['fail', 'pass']);
    });

    it('what a retry would do is told with every call that is left then, and nothing is changed', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      await judge(await bench.claimed('r1'), 'fail');
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent' }));
      const before = [await bench.run('r1'), await bench.rows('r1')];
      const outlook = (of: 'dlq' | 'failed') => bench.store.retryOutlook('r1', { of, jobIds: null, reasons: null });
      const [failed, dlq] = [await outlook('failed'), await outlook('dlq')];
      expect(failed.jobs).toMatchObject([{ jobId: 'j1', reason: null }]);
      expect(failed.calls.map(({ jobId }) => jobId)).toEqual(['j1', 'j3']);
      expect(failed.calls[0]).toMatchObject({
        task: 'task',
        model: 'model',
        key: expect.stringContaining('j1'),
        inputTokens: 100,
        answers: 0,
      });
      expect(dlq.jobs).toMatchObject([{ jobId: 'j2', reason: expect.any(String) }]);
      expect(dlq.calls.map(({ jobId }) => jobId)).toEqual(['j2', 'j3']);
      expect([await bench.run('r1'), await bench.rows('r1')]).toEqual(before);
      expect(await retry()).toEqual({ requeued: 1 });
      expect((await outlook('dlq')).calls.map(({ jobId }) => jobId)).toEqual(['j1', 'j2', 'j3']);
    });

    it('a retry gives its run another budget in the same moment, and none where it asks nothing', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await judge(await bench.claimed('r1'), 'fail');
      await bench.store.finishRun('r1');
      const bounds = { tokens: null, warnAt: 0.8, group: null };
      const terms = { budget: { ...bounds, nanoUsd: 5e9, activeMs: null }, manifestBudget: { ...bounds, usd: 5, minutes: null } };
      const retryUnder = (of: 'dlq' | 'failed') => bench.store.retryJobs('r1', { of, jobIds: null, reasons: null }, { terms });
      expect(await retryUnder('dlq')).toEqual({ requeued: 0 });
      expect(await bench.run('r1')).toMatchObject({ state: 'finished', settings: { budget: null }, manifest: { budget: null } });
      expect(await retryUnder('failed')).toEqual({ requeued: 1 });
      expect(await bench.run('r1')).toMatchObject({
        state: 'open',
        settings: { ...settings(), budget: terms.budget },
        manifest: { name: 'sample', budget: terms.manifestBudget },
      });
      // No price is known: what cannot be bounded is not sent.
      expect(await bench.claim('r1')).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'budget_usd' }] });
    });

    it('a finished run whose identity an unfinished one holds is not opened again', async () => {
      await bench.plan('r1', [job('j1', 0)], { identity: 'same' });
      await judge(await bench.claimed('r1'), 'fail');
      await bench.store.finishRun('r1');
      await bench.store.openRun(newRun('r2', { identity: 'same' }));
      await expect(retry()).rejects.toMatchObject({ exitCode: 7, message: expect.stringContaining('r2') });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', verdict: 'fail' });
    });

    it('a twin that is planned while an answer is asked for anew takes the one that is there', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      const old = await bench.claimed('r1');
      await judge(old, 'fail');
      await retry();
      await bench.store.addJobs('r1', [jobOfKey('j2', 1, 'k')]);
      expect((await bench.claimed('r1')).work).toMatchObject({ kind: 'finish', answers: [{ callToken: old.token }] });
    });
  });
}
