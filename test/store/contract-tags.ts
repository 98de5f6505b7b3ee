import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewJob, NewRun } from '../../src/store/plan-rows.ts';
import type { ClaimReply } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { chunk, failure, job, lane, newRun, reduce, settings, step, worker } from './rows.ts';

const NEEDS = { big: ['large', 'gpu'], small: ['gpu'] };
const OF_RUN: Partial<NewRun> = { settings: settings({ requires: NEEDS }) };

const needing = (task: string, jobId: string, seq: number, changes: Partial<NewJob> = {}): NewJob => job(jobId, seq, { task, ...changes });

/** Which machines get which work, and what is said where none that is there may have it. */
export function tagsContract(name: string, open: OpenStore): void {
  describe(`${name}: tags`, () => {
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

    const claimAs = (tags: readonly string[], runId = 'r1'): Promise<ClaimReply> => bench.store.claim({ runId, workerId: 'w1', tags });

    async function claimedJob(tags: readonly string[], runId = 'r1'): Promise<string> {
      const reply = await claimAs(tags, runId);
      return reply.kind === 'claimed' ? reply.claim.job.jobId : reply.kind;
    }

    it('a worker gets the first step in plan order of those whose tags it has, and what needs none is for all', async () => {
      await bench.plan('r1', [needing('big', 'b1', 0), needing('small', 's1', 1), job('j1', 2), needing('big', 'b2', 3)], OF_RUN);
      expect(await claimedJob([])).toBe('j1');
      expect(await claimedJob(['gpu', 'other'])).toBe('s1');
      expect(await claimedJob(['gpu', 'other'])).toBe('blocked');
      expect(await claimedJob(['gpu', 'large'])).toBe('b1');
      expect(await claimedJob(['large', 'gpu', 'x'])).toBe('b2');
      expect(await claimedJob(['gpu', 'large'])).toBe('busy');
    });

    it('a worker whose tags nobody has is named as what is waited for, by a claim and by the totals', async () => {
      await bench.plan('r1', [needing('big', 'b1', 0), needing('big', 'b2', 1), needing('small', 's1', 2)], OF_RUN);
      const wait = (tags: readonly string[], count: number) => ({ why: 'tags', laneId: null, count, untilMs: null, tags, message: null });
      const all = [wait(['gpu'], 1), wait(['gpu', 'large'], 2)];
      expect(await claimAs([])).toEqual({ kind: 'blocked', blockedBy: all, untilMs: null });
      expect(await claimAs(['large'])).toEqual({ kind: 'blocked', blockedBy: all, untilMs: null });
      expect((await bench.store.runTotals('r1')).waiting).toEqual(all);
      expect(await claimedJob(['gpu'])).toBe('s1');
      expect(await claimAs(['gpu'])).toMatchObject({ kind: 'blocked', blockedBy: [all[1]] });
    });

    it('the totals as one worker alone sees them name all that it may not do, whoever else lives', async () => {
      await bench.plan('r1', [needing('big', 'b1', 0), needing('small', 's1', 1), job('j1', 2)], OF_RUN);
      await bench.store.registerWorker({ ...worker('g1'), tags: ['gpu', 'large'] });
      const seen = async (tags?: readonly string[]) =>
        (await bench.store.runTotals('r1', tags)).waiting.map(({ why, tags: needed, count }) => ({ why, needed, count }));
      expect(await seen()).toEqual([]);
      expect(await seen([])).toEqual([
        { why: 'tags', needed: ['gpu'], count: 1 },
        { why: 'tags', needed: ['gpu', 'large'], count: 1 },
      ]);
      expect(await seen(['gpu'])).toEqual([{ why: 'tags', needed: ['gpu', 'large'], count: 1 }]);
      expect(await seen(['large', 'gpu'])).toEqual([]);
    });

    it('work for a worker that lives is not waited for in vain, until that is gone', async () => {
      await bench.plan('r1', [needing('small', 's1', 0)], OF_RUN);
      await bench.plan('r2', [job('j1', 0)]);
      await bench.store.registerWorker({ ...worker('elsewhere'), runId: 'r2', tags: ['gpu'] });
      expect((await claimAs([])).kind).toBe('blocked');
      await bench.store.registerWorker({ ...worker('g1'), tags: ['gpu', 'large'] });
      expect((await bench.store.workers()).find(({ workerId }) => workerId === 'g1')).toMatchObject({ tags: ['gpu', 'large'] });
      expect(await claimAs([])).toEqual({ kind: 'busy', untilMs: null });
      expect((await bench.store.runTotals('r1')).waiting).toEqual([]);
      bench.clock.pass(60_000);
      expect((await claimAs([])).kind).toBe('blocked');
      await bench.store.registerWorker({ ...worker('g1'), tags: ['gpu', 'large'] });
      expect((await claimAs([])).kind).toBe('busy');
      await bench.store.removeWorker('g1');
      expect((await claimAs([])).kind).toBe('blocked');
    });

    it('what comes of a step needs the same tags as long as it is a call, and its verdict none', async () => {
      const parts = [chunk('k0', 0), chunk('k1', 1)];
      await bench.plan('r1', [needing('small', 's1', 0, { steps: parts })], OF_RUN);
      const first = await bench.store.claim({ runId: 'r1', workerId: 'w1', tags: ['gpu'] });
      if (first.kind !== 'claimed') throw new Error('Expected a claim');
      await bench.supersede(first.claim);
      expect((await claimAs([])).kind).toBe('blocked');
      for (const _part of parts) {
        const next = await claimAs(['gpu']);
        if (next.kind !== 'claimed') throw new Error(`Expected a claim, got ${next.kind}`);
        const settled = await bench.answer(next.claim);
        if (settled.applied && settled.finish !== null) {
          await bench.store.settle(settled.finish.token, { kind: 'reduce', step: reduce('kr') });
        }
      }
      expect((await claimAs([])).kind).toBe('blocked');
      const last = await claimAs(['gpu']);
      if (last.kind !== 'claimed') throw new Error('Expected the reduce');
      expect(last.claim.work).toMatchObject({ kind: 'call', stepKind: 'reduce' });
      const finish = finishOf(await bench.answer(last.claim));
      await bench.store.settle(finish.token, { kind: 'handed_back' });
      const anybody = await claimAs([]);
      expect(anybody).toMatchObject({ kind: 'claimed', claim: { work: { kind: 'finish' } } });
      if (anybody.kind === 'claimed') await bench.finish(anybody.claim);
      expect((await claimAs([])).kind).toBe('drained');
    });

    it('an answer that is there is judged by anybody', async () => {
      await bench.plan('r1', [job('j1', 0, { steps: [step('same')] })]);
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [needing('small', 's1', 0, { steps: [step('same')] }), needing('small', 's2', 1)], OF_RUN);
      expect(await claimAs([], 'r2')).toMatchObject({ kind: 'claimed', claim: { job: { jobId: 's1' }, work: { kind: 'finish' } } });
      expect((await claimAs([], 'r2')).kind).toBe('blocked');
    });

    it('a later start may need other tags, also of what failed meanwhile and is asked again', async () => {
      await bench.plan('r1', [needing('small', 's1', 0), needing('small', 's2', 1), needing('big', 'b1', 2)], OF_RUN);
      const failing = await claimAs(['gpu']);
      if (failing.kind !== 'claimed') throw new Error('Expected a claim');
      await bench.fail(failing.claim, failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.store.openRun(newRun('other', { identity: 'identity of r1', settings: settings({ requires: { big: ['huge'] } }) }));
      expect(await claimedJob([])).toBe('s2');
      expect(await claimedJob(['gpu', 'large'])).toBe('blocked');
      expect(await claimedJob(['huge'])).toBe('b1');
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      expect(await claimedJob([])).toBe('s1');
    });

    it('a lane that lets nothing go is what its steps wait for, whoever may ask them', async () => {
      await bench.plan('r1', [job('j1', 0), needing('small', 's1', 1)], { ...OF_RUN, lanes: [lane({ concurrency: 1 })] });
      expect(await claimedJob([])).toBe('j1');
      expect(await claimAs([])).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'lane_concurrency', count: 1 }] });
    });
  });
}
