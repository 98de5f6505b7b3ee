import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, expectTrueTotals, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { document, failure, INVALID, job, jobOfKey, LANE, newRun, PAID, step, TTL_MS } from './rows.ts';

/** What a person may ask of a run while it works: pause it, resume it, cancel it or some of its jobs. */
export function controlContract(name: string, open: OpenStore): void {
  describe(`${name}: control`, () => {
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

    const cancel = (jobIds: readonly string[], now = false) => bench.store.cancelJobs('r1', jobIds, { now });
    const CANCELLED = { state: 'cancelled', error: null } as const;
    /** What a worker says of a call that it ended itself. */
    const ENDED = failure({ class: 'rate', reason: 'cancelled', message: 'cancelled while the call was running' });
    const UNKNOWN = { state: 'unknown', usage: null, costNanoUsd: null } as const;

    it('a paused run takes no claims, what runs of it finishes, and it goes on when it is resumed', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const claim = await bench.claimed('r1');
      expect(await bench.store.pauseRun('r1')).toEqual({ changed: true });
      expect(await bench.store.pauseRun('r1')).toEqual({ changed: false });
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'stopped', state: 'paused' });
      await bench.complete(claim);
      expect(await bench.states('r1')).toEqual(['succeeded', 'queued']);
      expect(await bench.store.resumeRun('r1')).toEqual({ changed: true });
      expect(await bench.store.resumeRun('r1')).toEqual({ changed: false });
      expect((await bench.run('r1')).state).toBe('open');
      await bench.complete(await bench.claimed('r1', 'w2'));
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('what fails or is given back in a paused run waits there', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const [failing, unsent] = [await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.store.pauseRun('r1');
      expect(await bench.fail(failing, failure())).toMatchObject({ retryAtMs: START_MS + 1000, ended: null });
      await bench.store.settle(unsent.token, { kind: 'handed_back' });
      bench.clock.pass(1000);
      expect(await bench.claim('r1')).toEqual({ kind: 'stopped', state: 'paused' });
      expect(await bench.states('r1')).toEqual(['queued', 'queued']);
    });

    it('a run that is paused while it is planned stays paused when its plan is whole', async () => {
      await bench.store.openRun(newRun('r1'));
      await bench.store.addDocuments('r1', [document('a.md')]);
      await bench.store.pauseRun('r1');
      await bench.store.addJobs('r1', [job('j1', 0)]);
      await bench.store.markPlanned('r1');
      expect(await bench.run('r1')).toMatchObject({ state: 'paused', plannedAtMs: START_MS });
      bench.clock.pass(10);
      await bench.store.markPlanned('r1');
      await bench.store.resumeRun('r1');
      expect(await bench.run('r1')).toMatchObject({ state: 'open', plannedAtMs: START_MS });
    });

    it('a run that is resumed before its plan is whole is planned on', async () => {
      await bench.store.openRun(newRun('r1'));
      await bench.store.pauseRun('r1');
      await bench.store.resumeRun('r1');
      expect(await bench.run('r1')).toMatchObject({ state: 'planning', plannedAtMs: null });
      expect(await bench.store.finishRun('r1')).toBe(false);
      await bench.store.markPlanned('r1');
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('a paused run does not finish; one that is over is neither paused nor resumed', async () => {
      await bench.plan('r1', []);
      await bench.store.pauseRun('r1');
      expect(await bench.store.finishRun('r1')).toBe(false);
      await bench.store.resumeRun('r1');
      await bench.store.finishRun('r1');
      await bench.plan('r2', [job('j1', 0)]);
      await bench.store.pauseRun('r2');
      expect(await bench.store.cancelRun('r2')).toMatchObject({ changed: true });
      for (const [id, state] of [
        ['r1', 'finished'],
        ['r2', 'cancelled'],
      ] as const) {
        expect(await bench.store.pauseRun(id)).toEqual({ changed: false });
        expect(await bench.store.resumeRun(id)).toEqual({ changed: false });
        expect((await bench.run(id)).state).toBe(state);
      }
    });

    it('cancelled jobs end: queued ones at once, running ones with their verdict; the others and the run go on', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const claim = await bench.claimed('r1');
      expect(await cancel(['j1', 'j2', 'j2', 'no such job'])).toEqual({ changed: true, cancelled: 1, running: 1 });
      expect(await cancel(['j1', 'j2'])).toEqual({ changed: false, cancelled: 0, running: 1 });
      expect(await cancel(['j1'], true)).toEqual({ changed: true, cancelled: 0, running: 1 });
      expect(await cancel(['j1'], true)).toEqual({ changed: false, cancelled: 0, running: 1 });
      expect(await bench.states('r1')).toEqual(['running', 'cancelled', 'queued']);
      expect((await bench.run('r1')).state).toBe('open');
      await bench.complete(claim);
      expect(await cancel(['j1', 'j2'])).toMatchObject({ cancelled: 0, running: 0 });
      await bench.complete(await bench.claimed('r1', 'w2'));
      expect(await bench.states('r1')).toEqual(['succeeded', 'cancelled', 'succeeded']);
      expect(await bench.store.finishRun('r1')).toBe(true);
      expect((await bench.store.runTotals('r1')).results).toMatchObject({ pass: 2, error: 1, open: 0 });
    });

    it('a run all of whose jobs are cancelled stays open until somebody finishes it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.markWritten('r1');
      expect(await cancel(['j1', 'j2'])).toMatchObject({ cancelled: 2, running: 0 });
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
      expect(await bench.run('r1')).toMatchObject({ state: 'open', summaryAtMs: null });
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toHaveLength(2);
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('for a cancelled job nothing is called again', async () => {
      await bench.plan(
        'r1',
        ['j1', 'j2', 'j3', 'j4', 'other'].map((id, seq) => job(id, seq)),
      );
      const claims = [];
      for (let i = 0; i < 4; i += 1) claims.push(await bench.claimed('r1'));
      const [failing, invalid, unsent, downgraded] = claims;
      if (failing === undefined || invalid === undefined || unsent === undefined || downgraded === undefined)
        throw new Error('four claims');
      expect(await cancel(['j1', 'j2', 'j3', 'j4'])).toMatchObject({ cancelled: 0, running: 4 });
      expect(await bench.fail(failing, failure())).toEqual({
        applied: true,
        finish: null,
        retryAtMs: null,
        ended: CANCELLED,
        paused: null,
      });
      expect(await bench.supersede(invalid)).toMatchObject({ finish: null, ended: CANCELLED });
      expect(await bench.store.settle(unsent.token, { kind: 'handed_back' })).toMatchObject({ ended: CANCELLED });
      await bench.store.markSent(downgraded.token);
      const lesser = { kind: 'downgraded', mode: 'prompt', failure: failure({ class: 'capability', reason: 'unsupported' }) } as const;
      expect(await bench.store.settle(downgraded.token, { ...lesser, call: PAID })).toMatchObject({ ended: CANCELLED });
      expect(await bench.states('r1')).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'queued']);
      bench.clock.pass(TTL_MS);
      expect((await bench.claimed('r1', 'w2')).job.jobId).toBe('other');
    });

    it('a cancelled job that fails for good, or pauses its lane, ends as well', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1')];
      await cancel(['j1', 'j2']);
      await bench.fail(first, INVALID);
      expect(await bench.fail(second, failure({ class: 'fatal', reason: 'quota' }))).toMatchObject({ ended: CANCELLED });
      expect(await bench.states('r1')).toEqual(['failed', 'cancelled']);
    });

    it('a cancelled job with several steps ends when the last of them that runs does', async () => {
      const chunks = [0, 1, 2].map((index) => step(`k${index}`, { kind: 'chunk', index }));
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      expect(await cancel(['j1'])).toMatchObject({ cancelled: 0, running: 1 });
      expect(await bench.answer(first)).toMatchObject({ finish: null, ended: null });
      expect(await bench.states('r1')).toEqual(['running']);
      expect(await bench.answer(second)).toMatchObject({ finish: null, ended: CANCELLED });
      expect((await bench.store.cachedKeys(['k0', 'k1'], null, null)).size).toBe(2);
    });

    it('the checks of a cancelled job are run, by whoever claims them', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      finishOf(await bench.answer(await bench.claimed('r1', 'w1')));
      expect(await cancel(['j1'], true)).toMatchObject({ cancelled: 0, running: 1 });
      expect(await bench.store.leasesToEnd('w1')).toEqual([]);
      bench.clock.pass(TTL_MS);
      await bench.finish(await bench.claimed('r1', 'w2'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('what a dead worker held of cancelled jobs ends: unpaid as cancelled, paid by whoever judges it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const [unpaid, paid] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w1')];
      await bench.store.markSent(unpaid.token);
      await bench.call(paid);
      await cancel(['j1', 'j2', 'j3']);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r1', 'w2');
      expect(judge.work).toMatchObject({ kind: 'judge', callToken: paid.token });
      expect(await bench.states('r1')).toEqual(['cancelled', 'running', 'cancelled']);
      await bench.finish(finishOf(await bench.accept(judge, { findings: [] }, paid.token)));
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'drained' });
      expect(await bench.states('r1')).toEqual(['cancelled', 'succeeded', 'cancelled']);
    });

    it('a cancel of jobs takes back the leases that ran out, and counts the jobs that end by it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.claimed('r1', 'w1');
      bench.clock.pass(TTL_MS);
      expect(await cancel(['j1'])).toMatchObject({ cancelled: 1, running: 0 });
      expect(await bench.states('r1')).toEqual(['cancelled', 'queued']);
    });

    it('a paid answer of a cancelled job that another run has found bad meanwhile is judged here too, without a call', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      const lost = await bench.claimed('r1', 'w1');
      await bench.call(lost);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r2', 'w2');
      expect(judge.work).toMatchObject({ kind: 'judge', callToken: lost.token });
      expect(await cancel(['j1', 'j2'])).toMatchObject({ cancelled: 1, running: 1 });
      await bench.store.settle(judge.token, { kind: 'failed', callToken: lost.token, failure: INVALID, call: PAID });
      expect(await bench.states('r1')).toEqual(['queued', 'cancelled']);
      const own = await bench.claimed('r1', 'w3');
      expect(own.work).toMatchObject({ kind: 'judge', callToken: lost.token });
      await bench.store.settle(own.token, { kind: 'failed', callToken: lost.token, failure: INVALID, call: PAID });
      expect(await bench.claim('r1', 'w3')).toEqual({ kind: 'drained' });
      expect(await bench.states('r1')).toEqual(['failed', 'cancelled']);
    });

    it('calls of jobs that are cancelled now are to be ended, each by the worker that holds it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const [first, second, third] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2'), await bench.claimed('r1', 'w2')];
      await cancel(['j1', 'j2']);
      for (const id of ['w1', 'w2']) expect(await bench.store.leasesToEnd(id)).toEqual([]);
      expect(await cancel(['j1', 'j2'], true)).toMatchObject({ cancelled: 0, running: 2 });
      await cancel(['j1', 'j2']);
      expect(await bench.store.leasesToEnd('w1')).toEqual([first.token]);
      expect(await bench.store.leasesToEnd('w2')).toEqual([second.token]);
      await bench.answer(third);
      await bench.complete(first);
      expect(await bench.store.leasesToEnd('w1')).toEqual([]);
    });

    it('a call that was ended ends its job, counts no attempt, stays uncertain, and holds up no twin and no lane', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      await cancel(['j1'], true);
      const outcome = { kind: 'failed', callToken: claim.token, failure: ENDED, call: UNKNOWN } as const;
      expect(await bench.store.settle(claim.token, outcome)).toEqual({
        applied: true,
        finish: null,
        retryAtMs: null,
        ended: CANCELLED,
        paused: null,
      });
      const record = await bench.store.jobRecord('r1', 'j1');
      expect(record).toMatchObject({
        job: { state: 'cancelled', attempts: 0, calls: 1 },
        steps: [{ state: 'cancelled' }],
        attempts: [{ outcome: 'failed', failure: { reason: 'cancelled' } }],
        calls: [{ state: 'unknown' }],
      });
      expect((await bench.claimed('r1')).job.jobId).toBe('j2');
      expect((await bench.claimed('r1')).job.jobId).toBe('j3');
      expect((await bench.store.runTotals('r1')).waiting).toEqual([]);
    });

    it('a run can be cancelled now, also after it was cancelled', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      expect(await bench.store.cancelRun('r1')).toMatchObject({ changed: true });
      expect(await bench.store.leasesToEnd('w1')).toEqual([]);
      expect(await bench.store.cancelRun('r1', { now: true })).toMatchObject({ changed: true });
      expect(await bench.store.cancelRun('r1', { now: true })).toMatchObject({ changed: false });
      expect(await bench.store.leasesToEnd('w1')).toEqual([claim.token]);
      const outcome = { kind: 'failed', callToken: claim.token, failure: ENDED, call: UNKNOWN } as const;
      expect(await bench.store.settle(claim.token, outcome)).toMatchObject({ ended: CANCELLED });
      expect(await bench.states('r1')).toEqual(['cancelled', 'cancelled']);
    });

    it('a job that is asked for again after it was to end runs to its end', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await cancel(['j1'], true);
      await bench.fail(claim, failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      const again = await bench.claimed('r1');
      expect(await bench.store.leasesToEnd('w1')).toEqual([]);
      expect(await bench.fail(again, failure())).toMatchObject({ ended: null, retryAtMs: START_MS + 1000 });
    });

    it('a job that has failed takes no running step of it back', async () => {
      const chunks = [0, 1, 2].map((index) => step(`k${index}`, { kind: 'chunk', index }));
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const [first, second, third] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2'), await bench.claimed('r1', 'w3')];
      await bench.fail(first, failure({ class: 'permanent', reason: 'bad_request' }));
      expect(await bench.fail(second, failure())).toEqual({ applied: true, finish: null, retryAtMs: null, ended: null, paused: null });
      expect(await bench.supersede(third)).toMatchObject({ ended: null });
      bench.clock.pass(TTL_MS);
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
      const states = (await bench.store.jobRecord('r1', 'j1'))?.steps.map((row) => row.state);
      expect(states).toEqual(['failed', 'cancelled', 'succeeded', 'cancelled']);
      // Asked again, nothing that was cancelled in the first round ends the job in the second.
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      for (let left = 2; left > 0; left -= 1) expect(await bench.answer(await bench.claimed('r1'))).toMatchObject({ finish: null });
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('the bound over all runs can be set, read and lifted', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.plan('r2', [job('j1', 0, { steps: [step('other')] })]);
      expect(await bench.store.maxRunning()).toBeNull();
      await bench.store.setMaxRunning(2);
      await bench.store.setMaxRunning(1);
      expect(await bench.store.maxRunning()).toBe(1);
      await bench.claimed('r1');
      expect(await bench.claim('r2')).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'store_maximum', count: 1 }] });
      await bench.store.setMaxRunning(null);
      await bench.store.setMaxRunning(null);
      expect(await bench.store.maxRunning()).toBeNull();
      expect((await bench.claimed('r2')).work).toMatchObject({ key: 'other' });
      expect((await bench.claimed('r1')).job.jobId).toBe('j2');
      expect((await bench.store.runTotals('r1')).waiting.filter(({ laneId }) => laneId === LANE)).toEqual([]);
    });
  });
}
