import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, expectTrueTotals, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { failure, INVALID, job, jobOfKey, LANE, newRun, PAID, RETRY, settings, step, TTL_MS, worker } from './rows.ts';

/** What is tried again, how often, and what a failure means for others. */
export function failuresContract(name: string, open: OpenStore): void {
  describe(`${name}: failures`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    /** A worker that dies while it holds what it claimed. */
    async function die(): Promise<void> {
      bench.clock.pass(TTL_MS);
    }

    it('a retry is invisible before its time, for its twins too', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')]);
      const settled = await bench.fail(await bench.claimed('r1'), failure());
      const retryAtMs = settled.applied ? settled.retryAtMs : null;
      expect(retryAtMs).toBe(bench.clock.nowMs + 1000);
      expect(await bench.claim('r1')).toEqual({
        kind: 'blocked',
        blockedBy: [{ why: 'backoff', laneId: null, count: 2, untilMs: retryAtMs, message: null }],
        untilMs: retryAtMs,
      });
      bench.clock.pass(1000);
      expect(await bench.claimed('r1')).toMatchObject({ job: { jobId: 'j1' }, work: { attempts: 1 } });
    });

    it('a retry is never earlier than the server asked', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const settled = await bench.fail(await bench.claimed('r1'), failure({ retryAfterMs: 7000.5 }));
      expect(settled).toMatchObject({ retryAtMs: bench.clock.nowMs + 8001 });
    });

    it('a transient failure fails the job after its attempts', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      for (const attempts of [0, 1, 2]) {
        const claim = await bench.claimed('r1');
        expect(claim.work).toMatchObject({ attempts });
        await bench.fail(claim, failure());
        bench.clock.pass(TTL_MS);
      }
      expect(await bench.row('r1', 'j1')).toMatchObject({
        state: 'failed',
        verdict: 'error',
        error: { reason: 'server_error', message: 'the server failed' },
        attempts: 3,
        calls: 3,
      });
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
    });

    it('attempts are counted when sent, not when handed back', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const unsent = await bench.claimed('r1');
      await bench.store.settle(unsent.token, { kind: 'handed_back' });
      const claim = await bench.claimed('r1');
      expect(claim.work).toMatchObject({ attempts: 0 });
      await bench.store.markSent(claim.token);
      await die();
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ attempts: 1 });
      expect((await bench.store.jobRecord('r1', 'j1'))?.calls.map((call) => call.state)).toEqual(['released', 'unknown', 'reserved']);
    });

    it('a rate limit uses up no attempt', async () => {
      await bench.plan('r1', [job('j1', 0)], { settings: settings({ retry: { ...RETRY, attempts: 1, lostLeases: 3 } }) });
      for (let i = 0; i < 3; i += 1) {
        const settled = await bench.fail(await bench.claimed('r1'), failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 1000 }));
        expect(settled).toMatchObject({ ended: null, retryAtMs: expect.any(Number) });
        bench.clock.pass(TTL_MS);
      }
      expect((await bench.claimed('r1')).work).toMatchObject({ attempts: 0 });
      expect(await bench.row('r1', 'j1')).toMatchObject({ attempts: 0, calls: 3 });
    });

    it('rate limits of a key wait longer and longer, until it succeeds or is asked afresh', async () => {
      const limited = failure({ class: 'rate', reason: 'rate_limited' });
      const patient = settings({ retry: { ...RETRY, maxWaitMs: 60 * 60_000 } });
      await bench.plan('r1', [job('j1', 0, { steps: [step('k', { kind: 'chunk' })] })], { settings: patient });
      const waits = [];
      for (let i = 0; i < 7; i += 1) {
        const settled = await bench.fail(await bench.claimed('r1'), limited);
        waits.push((settled.applied ? (settled.retryAtMs ?? 0) : 0) - bench.clock.nowMs);
        bench.clock.pass(TTL_MS);
      }
      expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      expect(await bench.fail(await bench.claimed('r1'), limited)).toMatchObject({ retryAtMs: bench.clock.nowMs + 1000 });
    });

    it('a call that was stopped is not held against its key or its lane', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const stopped = failure({ class: 'rate', reason: 'cancelled' });
      expect(await bench.fail(await bench.claimed('r1'), stopped)).toMatchObject({ retryAtMs: bench.clock.nowMs + 1000 });
      expect((await bench.claimed('r1')).job.jobId).toBe('j2');
    });

    it('a permanent failure fails the job and its queued twins of the run at once', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      const bad = failure({ class: 'permanent', reason: 'bad_request', message: 'no such parameter' });
      const error = { reason: 'bad_request', message: 'no such parameter' };
      expect(await bench.fail(await bench.claimed('r1'), bad)).toMatchObject({ ended: { state: 'failed', error } });
      expect(await bench.rows('r1')).toMatchObject([
        { state: 'failed', error },
        { state: 'failed', error },
        { state: 'queued', error: null },
      ]);
      expect(await bench.states('r2')).toEqual(['queued']);
    });

    it('a job added after its key failed in the run fails with it', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.store.addJobs('r1', [jobOfKey('j2', 1, 'k')]);
      expect(await bench.row('r1', 'j2')).toMatchObject({ state: 'failed', error: { reason: 'bad_request' } });
    });

    it('a failed call cancels what is queued of its job and keeps what runs', async () => {
      const chunks = [0, 1, 2].map((index) => step(`k${index}`, { kind: 'chunk', index }));
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      await bench.fail(first, failure({ class: 'permanent', reason: 'bad_request' }));
      const states = async () => (await bench.store.jobRecord('r1', 'j1'))?.steps.map((row) => row.state);
      expect(await states()).toEqual(['failed', 'running', 'cancelled']);
      expect(await bench.store.finishRun('r1')).toBe(false);
      expect(await bench.answer(second)).toEqual({ applied: true, finish: null, retryAtMs: null, ended: null, paused: null });
      expect(await states()).toEqual(['failed', 'succeeded', 'cancelled']);
      expect((await bench.store.cachedKeys(['k1'], null, null)).size).toBe(1);
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('a bad answer is known to later runs until it is asked again or a good one comes', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      const row = await bench.row('r2', 'j1');
      expect(row).toMatchObject({ state: 'failed', verdict: 'error', calls: 0, error: { reason: 'invalid_answer' } });
      expect(row.error?.message).toContain('aieval retry');
      await bench.plan('r3', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await bench.complete(await bench.claimed('r3'));
      await bench.plan('r4', [jobOfKey('j1', 0, 'k')]);
      expect((await bench.claimed('r4')).work.kind).toBe('finish');
    });

    it('a question that another run found bad meanwhile is not asked any more by one that was planned before', async () => {
      for (const runId of ['r1', 'r2'])
        await bench.plan(runId, [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), jobOfKey('j3', 2, 'other')]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect((await bench.claimed('r2')).job.jobId).toBe('j3');
      const error = { reason: 'invalid_answer', message: expect.stringContaining('known from an earlier run') };
      for (const jobId of ['j1', 'j2']) expect(await bench.row('r2', jobId)).toMatchObject({ state: 'failed', calls: 0, error });
      expect(await bench.store.retryJobs('r2', { of: 'dlq', jobIds: ['j1'], reasons: null })).toEqual({ requeued: 2 });
      expect((await bench.claimed('r2')).job.jobId).toBe('j1');
    });

    it('it is asked by one that wants an answer of its own, and mended by one that has an answer already', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await bench.plan('r3', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r3'));
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect((await bench.claimed('r2')).work).toMatchObject({ kind: 'call', stepKind: 'answer' });
      expect((await bench.claimed('r3')).work).toMatchObject({ kind: 'call', stepKind: 'reask' });
    });

    it('a good answer clears what was known bad, also when it has expired itself', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'refresh' }) });
      await bench.complete(await bench.claimed('r2'));
      bench.clock.pass(1000);
      await bench.plan('r3', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheTtlMs: 1000 }) });
      expect((await bench.claimed('r3')).work.kind).toBe('call');
    });

    it('only quality failures outlive their run', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      expect((await bench.claimed('r2')).work.kind).toBe('call');
    });

    it('checks that cannot run fail the job and keep its answer', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      const broken = failure({ class: 'permanent', reason: 'check_error', message: 'the pattern took too long' });
      const error = { reason: 'check_error', message: 'the pattern took too long' };
      expect(await bench.store.settle(finish.token, { kind: 'unjudged', failure: broken })).toMatchObject({
        ended: { state: 'failed', error },
      });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', error, latencyMs: 1234.5 });
      expect((await bench.store.cachedKeys(['key of j1'], null, null)).size).toBe(1);
    });

    it('a step that loses its worker three times fails as worker_lost, with its twins', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')]);
      for (const id of ['w1', 'w2', 'w3']) {
        await bench.claimed('r1', id);
        await die();
      }
      expect(await bench.claim('r1', 'w1')).toEqual({ kind: 'drained' });
      expect(await bench.rows('r1')).toMatchObject([
        { state: 'failed', error: { reason: 'worker_lost' }, calls: 0 },
        { state: 'failed', error: { reason: 'worker_lost' }, calls: 0 },
      ]);
    });

    it('a finish step that loses its worker three times fails its job as worker_lost', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.answer(await bench.claimed('r1', 'w1'));
      await die();
      for (const id of ['w2', 'w3']) {
        expect((await bench.claimed('r1', id)).work.kind).toBe('finish');
        await die();
      }
      expect(await bench.claim('r1', 'w1')).toEqual({ kind: 'drained' });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', error: { reason: 'worker_lost' }, calls: 1 });
    });

    it('the last attempt, sent and lost, is not sent again', async () => {
      await bench.plan('r1', [job('j1', 0)], { settings: settings({ retry: { ...RETRY, attempts: 1, lostLeases: 3 } }) });
      await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
      await die();
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'drained' });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', error: { reason: 'worker_lost' }, calls: 1 });
    });

    it('a poison job ends in the dead-letter queue and its neighbours do not', async () => {
      const jobs = Array.from({ length: 6 }, (_, seq) => job(`j${seq}`, seq));
      await bench.plan('r1', jobs);
      for (let life = 0; life < 20 && (await bench.claim('r1', `life ${life}`)).kind === 'claimed'; life += 1) {
        // This life also takes what else it can, then works it off; the poison kills it.
        await bench.store.registerWorker(worker(`next ${life}`));
        await die();
        await liveUntilPoison(`next ${life}`);
      }
      const states = Object.fromEntries((await bench.rows('r1')).map((row) => [row.jobId, row.state]));
      expect(states).toEqual({ j0: 'failed', j1: 'succeeded', j2: 'succeeded', j3: 'succeeded', j4: 'succeeded', j5: 'succeeded' });
    });

    async function liveUntilPoison(id: string): Promise<void> {
      const held = [];
      for (let i = 0; i < 3; i += 1) {
        const reply = await bench.claim('r1', id);
        if (reply.kind === 'claimed') held.push(reply.claim);
      }
      if (held.some((claim) => claim.job.jobId === 'j0')) return die();
      for (const claim of held) await bench.complete(claim);
    }

    /** `j0` and `j1` are suspects with one loss of two; `j2` is queued beside them. */
    async function planSuspects(): Promise<void> {
      await bench.plan('r1', [job('j0', 0), job('j1', 1)], { settings: settings({ retry: { ...RETRY, attempts: 3, lostLeases: 2 } }) });
      await bench.claimed('r1', 'w1');
      await bench.claimed('r1', 'w1');
      await die();
      await bench.store.addJobs('r1', [job('j2', 2)]);
    }

    it('a worker holds at most one suspect, and takes other work beside it', async () => {
      await planSuspects();
      expect([(await bench.claimed('r1', 'w2')).job.jobId, (await bench.claimed('r1', 'w2')).job.jobId]).toEqual(['j0', 'j2']);
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      expect((await bench.claimed('r1', 'w3')).job.jobId).toBe('j1');
    });

    it('a death with a suspect charges the suspect alone', async () => {
      await planSuspects();
      for (const id of ['w2', 'w3']) {
        await bench.claimed('r1', id);
        expect((await bench.claimed('r1', id)).job.jobId).toBe('j2');
        await die();
      }
      expect((await bench.claimed('r1', 'w1')).job.jobId).toBe('j2');
      expect((await bench.rows('r1')).map((row) => [row.jobId, row.error?.reason])).toEqual([
        ['j0', 'worker_lost'],
        ['j1', 'worker_lost'],
        ['j2', undefined],
      ]);
    });

    it('a step that was sent beside a suspect loses neither a life nor an attempt, however often the suspect kills', async () => {
      const { retry } = settings({ retry: { ...RETRY, attempts: 3, lostLeases: 10 } });
      await bench.plan('r1', [job('j0', 0)], { settings: settings({ retry }) });
      await bench.claimed('r1', 'w1');
      await die();
      await bench.store.addJobs('r1', [job('j1', 1)]);
      for (const id of ['w2', 'w3', 'w2', 'w3', 'w2']) {
        expect((await bench.claimed('r1', id)).job.jobId).toBe('j0');
        const innocent = await bench.claimed('r1', id);
        expect(innocent).toMatchObject({ job: { jobId: 'j1' }, work: { kind: 'call', attempts: 0 } });
        await bench.store.markSent(innocent.token);
        await die();
      }
      await bench.claimed('r1', 'w3');
      await bench.complete(await bench.claimed('r1', 'w3'));
      expect((await bench.row('r1', 'j1')).state).toBe('succeeded');
      await expectTrueTotals(bench.store);
    });

    it('a death is charged once, though its leases run out one by one', async () => {
      await planSuspects();
      await bench.claimed('r1', 'w2');
      bench.clock.pass(10_000);
      expect((await bench.claimed('r1', 'w2')).job.jobId).toBe('j2');
      bench.clock.pass(TTL_MS - 10_000);
      expect((await bench.claimed('r1', 'w3')).job.jobId).toBe('j1');
      bench.clock.pass(10_000);
      // w3 holds a suspect; that it may take j2 says that j2 is none.
      expect((await bench.claimed('r1', 'w3')).job.jobId).toBe('j2');
    });

    it('a worker that still beats is charged for every step that it let go', async () => {
      await planSuspects();
      await bench.claimed('r1', 'w2');
      expect((await bench.claimed('r1', 'w2')).job.jobId).toBe('j2');
      bench.clock.pass(TTL_MS - 1);
      await bench.store.registerWorker(worker('w2'));
      bench.clock.pass(1);
      expect((await bench.claimed('r1', 'w3')).job.jobId).toBe('j1');
      expect((await bench.claim('r1', 'w3')).kind).toBe('busy');
      expect((await bench.store.jobRecord('r1', 'j2'))?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'deadline' } }]);
    });

    it('success clears a suspect', async () => {
      await bench.plan('r1', [job('j0', 0), job('j1', 1)]);
      await bench.claimed('r1', 'w1');
      await bench.claimed('r1', 'w1');
      await die();
      await bench.complete(await bench.claimed('r1', 'w2'));
      const second = await bench.claimed('r1', 'w2');
      await bench.complete(second);
      expect(await bench.states('r1')).toEqual(['succeeded', 'succeeded']);
    });

    it('a worker that leaves gives back what it did not send', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const sent = await bench.claimed('r1', 'w1');
      await bench.store.markSent(sent.token);
      const unsent = await bench.claimed('r1', 'w1');
      await bench.store.removeWorker('w1');
      expect((await bench.store.workers()).map((row) => row.workerId)).toEqual(['w2', 'w3']);
      expect((await bench.claimed('r1', 'w2')).stepId).toBe(unsent.stepId);
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      expect(await bench.accept(unsent)).toEqual({ applied: false });
    });

    it('retry asks failed jobs afresh, with what shares their key, and keeps the history', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k'), job('j3', 2)]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      expect(await bench.store.finishRun('r1')).toBe(true);
      await bench.markWritten('r1');
      expect(await bench.store.retryJobs('r1', { of: 'dlq', jobIds: ['j1'], reasons: null })).toEqual({ requeued: 2 });
      expect(await bench.rows('r1')).toMatchObject([
        { state: 'queued', verdict: null, error: null, endedAtMs: null },
        { state: 'queued', verdict: null, error: null },
        { state: 'failed' },
      ]);
      expect(await bench.store.getRun('r1')).toMatchObject({ state: 'open', finishedAtMs: null, summaryAtMs: null });
      expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toHaveLength(1);
      const claim = await bench.claimed('r1');
      expect(claim.work).toMatchObject({ kind: 'call', attempts: 0 });
      await bench.complete(claim);
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
    });

    it('retry chooses by reason', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      expect(await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: ['timeout'] })).toEqual({ requeued: 0 });
      expect(await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: ['bad_request'] })).toEqual({ requeued: 1 });
      expect(await bench.states('r1')).toEqual(['failed', 'queued']);
    });

    it('retry asks a failed re-ask from its start', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.supersede(await bench.claimed('r1'));
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      const again = await bench.claimed('r1');
      expect(again.work).toMatchObject({ kind: 'call', stepKind: 'answer', attempts: 0, reask: null });
      await bench.supersede(again);
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 4 });
    });

    it('retry of a job whose checks broke runs the checks only', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      await bench.store.settle(finish.token, { kind: 'unjudged', failure: failure({ class: 'permanent', reason: 'check_error' }) });
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: ['check_error'] });
      const again = await bench.claimed('r1');
      expect(again.work).toEqual(finish.work);
      await bench.finish(again);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 1 });
    });

    it('retry of a lost job has new attempts and new lives', async () => {
      await bench.plan('r1', [job('j1', 0)], { settings: settings({ retry: { ...RETRY, attempts: 3, lostLeases: 1 } }) });
      await bench.claimed('r1', 'w1');
      await die();
      await bench.claim('r1', 'w2');
      expect(await bench.states('r1')).toEqual(['failed']);
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      await bench.complete(await bench.claimed('r1', 'w2'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('retry leaves jobs of unusable documents alone', async () => {
      const unusable = { reason: 'document_no_text', message: 'scanned' } as const;
      await bench.plan('r1', [job('j1', 0, { textSha256: null, failure: unusable, steps: [] })]);
      expect(await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null })).toEqual({ requeued: 0 });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', verdict: 'error', error: unusable });
    });

    it('retry asks a known bad answer again', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      await bench.store.finishRun('r2');
      expect(await bench.store.retryJobs('r2', { of: 'dlq', jobIds: null, reasons: null })).toEqual({ requeued: 1 });
      await bench.complete(await bench.claimed('r2'));
      expect(await bench.states('r2')).toEqual(['succeeded']);
    });

    it('an answer that is asked again is no longer known bad', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      expect(await bench.states('r2')).toEqual(['queued']);
    });

    it('retry refuses a finished run whose identity an unfinished one holds, and names it', async () => {
      await bench.plan('r1', [job('j1', 0)], { identity: 'same' });
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.store.finishRun('r1');
      await bench.store.openRun(newRun('r2', { identity: 'same' }));
      await expect(bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null })).rejects.toMatchObject({
        name: 'UserError',
        exitCode: 7,
        message: expect.stringContaining('r2'),
      });
      expect(await bench.states('r1')).toEqual(['failed']);
    });

    it('retry lets a paused lane send again', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.fail(await bench.claimed('r1'), failure({ class: 'fatal', reason: 'quota', message: 'no credit' }));
      expect((await bench.store.runTotals('r1')).waiting).toEqual([
        { why: 'lane_paused', laneId: LANE, lane: 'lab', count: 1, untilMs: null, reason: 'quota', message: 'no credit' },
      ]);
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      expect((await bench.claimed('r1')).job.jobId).toBe('j1');
    });

    it('a failure of a stored response settles the call that it came from', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const crashed = await bench.claimed('r1', 'w1');
      await bench.call(crashed);
      await die();
      const judge = await bench.claimed('r1', 'w2');
      await bench.store.settle(judge.token, { kind: 'failed', callToken: crashed.token, failure: INVALID, call: PAID });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', calls: 1, costNanoUsd: 5000 });
    });
  });
}
