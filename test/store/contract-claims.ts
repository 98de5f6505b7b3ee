import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { failure, job, jobOfKey, LANE, lane, newRun, settings, step, TTL_MS, worker } from './rows.ts';

/** Who gets which step, when, and under which limits. */
export function claimsContract(name: string, open: OpenStore): void {
  describe(`${name}: claims`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    it('one job goes to one of many claimers', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const replies = await Promise.all(['w1', 'w2', 'w3', 'w1'].map((id) => bench.claim('r1', id)));
      expect(replies.map((reply) => reply.kind).sort()).toEqual(['busy', 'busy', 'busy', 'claimed']);
    });

    it('every claim has a new token and says what to call', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const first = await bench.claimed('r1');
      expect(first).toEqual({
        token: expect.any(String),
        runId: 'r1',
        stepId: expect.any(Number),
        job: { jobId: 'j1', documentId: 'a.md', textSha256: job('j1', 0).textSha256, task: 'task', model: 'model', repeat: 0 },
        claimedAtMs: bench.clock.nowMs,
        deadlineAtMs: bench.clock.nowMs + 30 * 60_000,
        work: {
          kind: 'call',
          stepKind: 'answer',
          key: 'key of j1',
          attempts: 0,
          lastFailure: null,
          inputTokens: 100,
          rate: { price: null, maxOutputTokens: null },
          prefix: null,
          warms: false,
          mode: null,
          reask: null,
          input: null,
        },
      });
      await bench.store.settle(first.token, { kind: 'handed_back' });
      expect((await bench.claimed('r1')).token).not.toBe(first.token);
    });

    it('claims go by plan order', async () => {
      await bench.plan('r1', [job('j2', 2), job('j0', 0), job('j1', 1)]);
      const order = [await bench.claimed('r1'), await bench.claimed('r1'), await bench.claimed('r1')];
      expect(order.map((claim) => claim.job.jobId)).toEqual(['j0', 'j1', 'j2']);
    });

    it('a point of priority is worth ten minutes of age and no more', async () => {
      await bench.plan('r1', [job('old', 0)]);
      bench.clock.pass(9 * 60_000);
      await bench.store.addJobs('r1', [job('urgent', 1, { priority: 1 })]);
      const urgent = await bench.claimed('r1');
      expect(urgent.job.jobId).toBe('urgent');
      await bench.complete(urgent);
      bench.clock.pass(2 * 60_000);
      await bench.store.addJobs('r1', [job('too late', 2, { priority: 1 })]);
      expect((await bench.claimed('r1')).job.jobId).toBe('old');
    });

    it('a retry keeps its place in the order', async () => {
      await bench.plan('r1', [job('j0', 0), job('j1', 1)]);
      await bench.fail(await bench.claimed('r1'), failure());
      bench.clock.pass(TTL_MS);
      expect((await bench.claimed('r1')).job.jobId).toBe('j0');
    });

    it('an expired lease is claimed by another worker', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const lost = await bench.claimed('r1', 'w1');
      bench.clock.pass(TTL_MS - 1);
      expect(await bench.claim('r1', 'w2')).toEqual({ kind: 'busy', untilMs: bench.clock.nowMs + 1 });
      bench.clock.pass(1);
      const taken = await bench.claimed('r1', 'w2');
      expect(taken.stepId).toBe(lost.stepId);
      expect(taken.token).not.toBe(lost.token);
    });

    it('a lease that was taken over, or is past its deadline, does not send', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const [taken, late] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      bench.clock.pass(TTL_MS);
      expect((await bench.claimed('r1', 'w2')).job.jobId).toBe('j1');
      expect(await bench.store.markSent(taken.token)).toBe(false);
      bench.clock.nowMs = late.deadlineAtMs;
      expect(await bench.store.markSent(late.token)).toBe(false);
    });

    it('a lease that ran out and that nobody took is renewed when its worker sends', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1', 'w1');
      bench.clock.pass(TTL_MS);
      expect(await bench.store.markSent(claim.token)).toBe(true);
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
    });

    it('a worker that slept longer than its leases keeps them when it claims', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      const held = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w1')];
      bench.clock.pass(TTL_MS + 1);
      expect((await bench.claimed('r1', 'w1')).job.jobId).toBe('j3');
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      for (const claim of held) await bench.complete(claim);
      expect(await bench.rows('r1')).toMatchObject([
        { state: 'succeeded', retries: 0 },
        { state: 'succeeded', retries: 0 },
        { state: 'running' },
      ]);
    });

    it('a step past its deadline is taken from its own worker too, which is no death', async () => {
      const lease = { ttlMs: TTL_MS, beatMs: 15_000, deadlineMs: TTL_MS };
      await bench.plan('r1', [job('j1', 0)], { settings: settings({ lease }) });
      const late = await bench.claimed('r1', 'w1');
      bench.clock.pass(TTL_MS);
      const again = await bench.claimed('r1', 'w1');
      expect(again.token).not.toBe(late.token);
      expect((await bench.store.jobRecord('r1', 'j1'))?.attempts).toMatchObject([{ outcome: 'lost', failure: { reason: 'deadline' } }]);
    });

    it('a call is sent once', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      expect([await bench.store.markSent(claim.token), await bench.store.markSent(claim.token)]).toEqual([true, false]);
    });

    it('steps of one key are never in flight together, in any run', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k'), jobOfKey('j2', 1, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      await bench.claimed('r1');
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      expect((await bench.claim('r2', 'w2')).kind).toBe('busy');
    });

    it('a run that takes no cached answers does not wait for the flight of another', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], { settings: settings({ cacheMode: 'off' }) });
      await bench.claimed('r1');
      expect((await bench.claimed('r2')).work.kind).toBe('call');
    });

    it('a lane gives no more grants than its limit', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)], { lanes: [lane({ concurrency: 1 })] });
      const first = await bench.claimed('r1');
      const slots = { taken: 1, of: 1, atMost: 1 };
      expect(await bench.claim('r1', 'w2')).toEqual({
        kind: 'blocked',
        blockedBy: [{ why: 'lane_concurrency', laneId: LANE, lane: 'lab', count: 1, untilMs: null, message: null, slots }],
        untilMs: bench.clock.nowMs + TTL_MS,
      });
      await bench.complete(first);
      expect((await bench.claimed('r1')).job.jobId).toBe('j2');
    });

    it('the lowest limit of the unfinished runs on a lane holds for all of them', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.plan('r2', [job('x1', 0)], { lanes: [lane({ concurrency: 1 })] });
      const first = await bench.claimed('r1');
      expect((await bench.claim('r1')).kind).toBe('blocked');
      await bench.store.cancelRun('r2');
      expect((await bench.claimed('r1')).job.jobId).not.toBe(first.job.jobId);
    });

    it('a run that nobody works on any more limits no other', async () => {
      const narrow = { lanes: [lane({ concurrency: 1 })] };
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      await bench.plan('r2', [job('x1', 0)], narrow);
      for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
      for (const [id, runId] of [
        ['of r1', 'r1'],
        ['of r2', 'r2'],
      ] as const)
        await bench.store.registerWorker({ ...worker(id), runId });
      await bench.claimed('r1', 'of r1');
      expect((await bench.claim('r1', 'of r1')).kind).toBe('blocked');
      bench.clock.pass(3 * 15_000);
      expect((await bench.claimed('r1', 'of r1')).job.jobId).toBe('j2');
      await bench.complete(await bench.claimed('r1', 'of r1'));
      bench.clock.pass(TTL_MS);
      const running = await bench.claimed('r2', 'of r2');
      expect((await bench.claim('r1', 'of r1')).kind).not.toBe('claimed');
      await bench.complete(running);
    });

    it('a blocked lane does not hold up the others', async () => {
      const lanes = [lane({ concurrency: 1 }), lane({ laneId: 'lane-2', label: 'cloud', concurrency: 1 })];
      const other = job('j3', 2, { steps: [step('k3', { laneId: 'lane-2' })] });
      await bench.plan('r1', [job('j1', 0), job('j2', 1), other], { lanes });
      await bench.claimed('r1');
      expect((await bench.claimed('r1')).job.jobId).toBe('j3');
    });

    it('runConcurrency caps the run over all its workers', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)], { settings: settings({ runConcurrency: 2 }) });
      await bench.claimed('r1', 'w1');
      await bench.claimed('r1', 'w2');
      const reply = await bench.claim('r1', 'w3');
      expect(reply).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'run_concurrency', laneId: null, count: 1 }] });
    });

    it('maxRunning caps all runs of the store', async () => {
      await opened.setMaxRunning(1);
      await bench.plan('r1', [job('j1', 0)]);
      await bench.plan('r2', [job('j2', 0)]);
      await bench.claimed('r1');
      expect(await bench.claim('r2')).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'store_maximum', laneId: null, count: 1 }] });
    });

    it('a finish step takes no slot', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)], { lanes: [lane({ concurrency: 1 })] });
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      expect(finish.work.kind).toBe('finish');
      expect((await bench.claimed('r1')).job.jobId).toBe('j2');
    });

    it('a fatal failure pauses its lane until the run is started again', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const refused = failure({ class: 'fatal', reason: 'auth', message: 'the key was refused' });
      expect(await bench.fail(await bench.claimed('r1'), refused)).toEqual({
        ...{ applied: true, finish: null, retryAtMs: null, ended: null },
        paused: { scope: 'account', reason: 'auth', message: 'the key was refused', untilMs: null },
      });
      expect(await bench.claim('r1')).toEqual({
        kind: 'blocked',
        blockedBy: [
          { why: 'lane_paused', laneId: LANE, lane: 'lab', count: 2, untilMs: null, reason: 'auth', message: 'the key was refused' },
        ],
        untilMs: null,
      });
      await bench.store.openRun(newRun('again', { identity: 'identity of r1' }));
      expect((await bench.claimed('r1')).work).toMatchObject({ kind: 'call', attempts: 0 });
    });

    it('a rate limit cools the lane for everyone', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 5000 }));
      const reply = await bench.claim('r1', 'w2');
      const untilMs = reply.kind === 'blocked' ? reply.untilMs : null;
      expect(untilMs).toBeGreaterThanOrEqual(bench.clock.nowMs + 5000);
      expect(reply).toMatchObject({
        kind: 'blocked',
        blockedBy: [
          { why: 'lane_cooldown', count: 1 },
          { why: 'backoff', count: 1 },
        ],
      });
      bench.clock.nowMs = untilMs ?? 0;
      expect((await bench.claimed('r1')).work).toMatchObject({ kind: 'call', attempts: 0 });
    });

    it('a rate limit without a time cools the lane, longer each time in a row, until an answer comes', async () => {
      const jobs = Array.from({ length: 8 }, (_, seq) => job(`j${seq}`, seq));
      await bench.plan('r1', jobs);
      const limited = failure({ class: 'rate', reason: 'rate_limited' });
      const rest = async () => {
        const cooling = (await bench.store.runTotals('r1')).waiting.find(({ why }) => why === 'lane_cooldown');
        return (cooling?.untilMs ?? 0) - bench.clock.nowMs;
      };
      const rests = [];
      for (let round = 0; round < 3; round += 1) {
        // What is in flight together is refused together, and is one refusal.
        const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
        await bench.fail(first, limited);
        bench.clock.pass(1);
        await bench.fail(second, limited);
        // The second refusal may be part of the first one's rest.
        rests.push(Math.ceil((await rest()) / 10) * 10);
        expect((await bench.claim('r1', 'w3')).kind).toBe('blocked');
        bench.clock.pass(await rest());
      }
      expect(rests).toEqual([1500, 3000, 6000]);
      await bench.complete(await bench.claimed('r1'));
      await bench.fail(await bench.claimed('r1'), limited);
      expect(await rest()).toBe(1500);
    });

    it('a run that is still planned is not drained, nor one whose plan broke off', async () => {
      await bench.store.openRun(newRun('r1'));
      expect(await bench.claim('r1')).toEqual({ kind: 'busy', untilMs: bench.clock.nowMs + 1000 });
      const planner = { ...worker('p'), runId: 'r1', plans: true };
      await bench.store.registerWorker(planner);
      bench.clock.pass(10_000);
      expect(await bench.claim('r1')).toEqual({ kind: 'busy', untilMs: bench.clock.nowMs + 1000 });
      await bench.store.removeWorker('p');
      // Who only works on it has no jobs to add.
      await bench.store.registerWorker({ ...planner, workerId: 'q', plans: false });
      expect(await bench.claim('r1')).toEqual({ kind: 'unplanned' });
      await bench.store.registerWorker(planner);
      expect((await bench.claim('r1')).kind).toBe('busy');
      expect((await bench.store.workers()).map(({ workerId, plans }) => [workerId, plans])).toEqual([
        ['p', true],
        ['q', false],
      ]);
      bench.clock.pass(60_000);
      expect(await bench.claim('r1')).toEqual({ kind: 'unplanned' });
      await bench.store.markPlanned('r1');
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
    });

    it('a downgrade is remembered for the endpoint and its model', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      const refused = failure({ class: 'capability', reason: 'unsupported', message: 'no json_schema' });
      const call = { state: 'settled', usage: null, costNanoUsd: 0 } as const;
      const settled = await bench.store.settle(claim.token, { kind: 'downgraded', mode: 'json_object', failure: refused, call });
      expect(settled).toEqual({ applied: true, finish: null, retryAtMs: null, ended: null, paused: null });
      const works = [(await bench.claimed('r1')).work, (await bench.claimed('r1')).work];
      expect(works).toMatchObject([
        { mode: 'json_object', attempts: 0 },
        { mode: 'json_object', attempts: 0 },
      ]);
    });
  });
}
