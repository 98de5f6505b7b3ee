import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewJob, NewRun } from '../../src/store/plan-rows.ts';
import type { Claim, Settled } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { canonicalText, chunk, document, failure, INVALID, job, lane, newRun, part, RETRY, reduce, settings, TTL_MS } from './rows.ts';

const DLQ = { of: 'dlq', jobIds: null, reasons: null } as const;
const FAILED = { of: 'failed', jobIds: null, reasons: null } as const;
const CANCELLED = { state: 'cancelled', error: null };

/** A job over the two parts of its document. */
function inParts(jobId = 'j1', seq = 0, keys: readonly string[] = ['k0', 'k1'], changes: Partial<NewJob> = {}): NewJob {
  return job(jobId, seq, { steps: keys.map((key, index) => chunk(key, index)), ...changes });
}

/** Jobs of several steps: parts of a document, and what is made of their answers; and what extraction left for the next run. */
export function partsContract(name: string, open: OpenStore): void {
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

  /** Answers whatever is claimed until a finish is. */
  async function toFinish(runId = 'r1', workerId = 'w1'): Promise<Claim> {
    for (;;) {
      const claim = await bench.claimed(runId, workerId);
      if (claim.work.kind === 'finish') return claim;
      const settled = await bench.answer(claim, { of: claim.work.key });
      if (settled.applied && settled.finish !== null) return settled.finish;
    }
  }

  const toReduce = ({ token }: Claim, key = 'kr'): Promise<Settled> => bench.store.settle(token, { kind: 'reduce', step: reduce(key) });

  /** A planned run of one job that has come to its reduce. */
  async function reducing(changes: Partial<NewRun> = {}): Promise<void> {
    await bench.plan('r1', [inParts()], changes);
    await toReduce(await toFinish());
  }

  async function stepsOf(runId = 'r1', jobId = 'j1'): Promise<string[]> {
    const record = await bench.store.jobRecord(runId, jobId);
    return (record?.steps ?? []).map(({ kind, state, outcome }) => `${kind} ${outcome ?? state}`);
  }

  async function attemptsOf(kind: string): Promise<string[]> {
    const record = await bench.store.jobRecord('r1', 'j1');
    const ids = new Set(record?.steps.filter((row) => row.kind === kind).map(({ stepId }) => stepId));
    return (record?.attempts ?? []).filter(({ stepId }) => ids.has(stepId)).map(({ number, outcome }) => `${number} ${outcome}`);
  }

  describe(`${name}: parts`, () => {
    it('a step is claimed with the part that it asks, and its re-ask with the same', async () => {
      await bench.plan('r1', [inParts()]);
      const first = await bench.claimed('r1');
      expect(first.work).toMatchObject({ stepKind: 'chunk', input: { kind: 'part', part: part(0) } });
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ stepKind: 'chunk', input: { kind: 'part', part: part(1) } });
      await bench.supersede(first);
      const again = await bench.claimed('r1');
      expect(again.work).toMatchObject({ stepKind: 'reask', input: { kind: 'part', part: part(0) }, reask: { answer: '{"findings":1}' } });
      expect((await bench.store.jobRecord('r1', 'j1'))?.steps.map((row) => row.part)).toEqual([part(0), part(1), part(0)]);
    });

    it('a paid answer that nobody has judged is judged with its part', async () => {
      await bench.plan('r1', [inParts()]);
      await bench.call(await bench.claimed('r1', 'w1'));
      bench.clock.pass(TTL_MS);
      expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', input: { kind: 'part', part: part(0) } });
    });

    it('the finish has the answers in the order of the parts, a re-ask in the place of what it mended', async () => {
      await bench.plan('r1', [inParts('j1', 0, ['k0', 'k1', 'k2'])]);
      const [a, b, c] = [await bench.claimed('r1'), await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.answer(c);
      await bench.supersede(a);
      await bench.answer(b);
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      expect(finish.work.kind === 'finish' && finish.work.answers.map(({ stepKind, index, asked }) => [stepKind, index, asked])).toEqual([
        ['reask', 0, { kind: 'part', part: part(0) }],
        ['chunk', 1, { kind: 'part', part: part(1) }],
        ['chunk', 2, { kind: 'part', part: part(2) }],
      ]);
    });

    it('a failed part fails its job: queued parts end, running ones are kept and do not bring it back', async () => {
      await bench.plan('r1', [inParts('j1', 0, ['k0', 'k1', 'k2'])]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      await bench.fail(first, failure({ class: 'permanent', reason: 'bad_request' }));
      expect(await bench.answer(second)).toMatchObject({ applied: true, finish: null, ended: null });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', error: { reason: 'bad_request' }, cached: false });
      expect(await stepsOf()).toEqual(['chunk failed', 'chunk answered', 'chunk cancelled']);
      expect((await bench.store.cachedKeys(['k1'], null, null)).size).toBe(1);
    });

    it('a retry asks only the parts that are lost', async () => {
      await bench.plan('r1', [inParts('j1', 0, ['k0', 'k1', 'k2'])]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      await bench.fail(first, failure({ class: 'permanent' }));
      await bench.answer(second);
      expect(await bench.store.retryJobs('r1', DLQ)).toEqual({ requeued: 1 });
      await bench.finish(await toFinish());
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 4 });
    });

    it('an answer of which several jobs paid parts cost what all of them cost, and comes from who paid for most', async () => {
      await bench.plan('r1', [inParts('j1', 0, ['k0']), inParts('j2', 1, ['k1', 'k2'])]);
      for (let left = 3; left > 0; left--) {
        const settled = await bench.answer(await bench.claimed('r1'));
        if (settled.applied && settled.finish !== null) await bench.finish(settled.finish);
      }
      await bench.plan('r2', [inParts('j1', 0, ['k1', 'k2', 'k0'])]);
      await bench.finish(await bench.claimed('r2'));
      const origin = { runId: 'r1', jobId: 'j2', costNanoUsd: 15_000, latencyMs: 1234.5 };
      expect(await bench.row('r2', 'j1')).toMatchObject({ cached: true, calls: 0, costNanoUsd: 0, latencyMs: 1234.5, origin });
      expect((await bench.store.jobRecord('r2', 'j1'))?.steps.map(({ paidBy }) => paidBy?.jobId)).toEqual(['j2', 'j2', 'j1', undefined]);
    });

    it('two jobs that ask the same parts share each call', async () => {
      await bench.plan('r1', [inParts('j1', 0), inParts('j2', 1)]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w1')];
      expect([first.work, second.work]).toMatchObject([{ key: 'k0' }, { key: 'k1' }]);
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      await bench.answer(first);
      await bench.complete(second);
      await bench.finish(await bench.claimed('r1', 'w2'));
      expect(await bench.row('r1', 'j2')).toMatchObject({ state: 'succeeded', calls: 0, cached: true });
    });
  });

  describe(`${name}: reduce`, () => {
    it('a finish that asks for more ends without a verdict; when its call is answered it starts anew, with that answer last', async () => {
      await bench.plan('r1', [inParts()]);
      const first = await toFinish();
      expect(await toReduce(first)).toEqual({ applied: true, finish: null, retryAtMs: null, ended: null, paused: null });
      expect(await bench.states('r1')).toEqual(['queued']);
      const call = await bench.claimed('r1', 'w2');
      expect(call.work).toMatchObject({
        ...{ kind: 'call', stepKind: 'reduce', key: 'kr', reask: null },
        input: { kind: 'prompt', system: null, prompt: 'reduce kr' },
      });
      const second = finishOf(await bench.answer(call, { merged: true }));
      expect(second.stepId).toBe(first.stepId);
      expect(second.work.kind === 'finish' && second.work.answers.map(({ stepKind, asked }) => [stepKind, asked])).toEqual([
        ['chunk', { kind: 'part', part: part(0) }],
        ['chunk', { kind: 'part', part: part(1) }],
        ['reduce', { kind: 'reduce' }],
      ]);
      await bench.finish(second);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 3, cached: false, latencyMs: 1234.5 });
      expect(await stepsOf()).toEqual(['chunk answered', 'chunk answered', 'finish finished', 'reduce answered']);
      expect(await attemptsOf('finish')).toEqual(['1 superseded', '2 succeeded']);
      expect(await bench.store.finishRun('r1')).toBe(true);
    });

    it('its re-ask asks the same prompt, and is known for the reduce', async () => {
      await reducing();
      await bench.supersede(await bench.claimed('r1'));
      const again = await bench.claimed('r1');
      expect(again.work).toMatchObject({ stepKind: 'reask', input: { kind: 'prompt', prompt: 'reduce kr' } });
      const finish = finishOf(await bench.answer(again));
      expect(finish.work).toMatchObject({ answers: [{ index: 0 }, { index: 1 }, { stepKind: 'reask', asked: { kind: 'reduce' } }] });
      await bench.finish(finish);
    });

    it('is asked once, however often its outcome is told', async () => {
      await bench.plan('r1', [inParts()]);
      const lost = await toFinish('r1', 'w1');
      bench.clock.pass(TTL_MS);
      const taken = await bench.claimed('r1', 'w2');
      expect(await toReduce(taken)).toMatchObject({ applied: true });
      expect(await toReduce(lost)).toEqual({ applied: false });
      expect(await toReduce(taken)).toEqual({ applied: false });
      expect((await stepsOf()).filter((row) => row.startsWith('reduce'))).toEqual(['reduce queued']);
    });

    it('a job that is reduced is not reduced again, nor by a step that is no reduce', async () => {
      await reducing();
      const finish = await toFinish();
      await expect(toReduce(finish, 'another')).rejects.toThrow('Job j1 is reduced already');
      await bench.finish(finish);
      await bench.plan('r2', [inParts('j1', 0, ['x', 'y'])]);
      const { token } = await toFinish('r2');
      const step = reduce('z', { kind: 'chunk' });
      await expect(bench.store.settle(token, { kind: 'reduce', step })).rejects.toThrow('Expected a reduce with its prompt, got chunk');
    });

    it('a step that is no finish reduces nothing', async () => {
      await bench.plan('r1', [inParts()]);
      await expect(toReduce(await bench.claimed('r1'))).rejects.toThrow(/\(chunk\) cannot reduce answers/);
    });

    it('an answer that is known needs no call', async () => {
      await reducing();
      await bench.finish(await toFinish());
      await bench.plan('r2', [inParts()]);
      await toReduce(await bench.claimed('r2'));
      const finish = await bench.claimed('r2');
      expect(finish.work).toMatchObject({ kind: 'finish', answers: [{}, {}, { asked: { kind: 'reduce' } }] });
      await bench.finish(finish);
      expect(await bench.row('r2', 'j1')).toMatchObject({ state: 'succeeded', calls: 0, cached: true, origin: { runId: 'r1' } });
    });

    it('a call of its key that a dead worker paid for is judged', async () => {
      await reducing();
      const dead = await bench.claimed('r1', 'w1');
      await bench.call(dead);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r1', 'w2');
      expect(judge.work).toMatchObject({ kind: 'judge', stepKind: 'reduce', callToken: dead.token, input: { kind: 'prompt' } });
      await bench.finish(finishOf(await bench.accept(judge, {}, dead.token)));
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 3 });
    });

    it('what another run left unjudged is judged', async () => {
      await reducing();
      await bench.call(await bench.claimed('r1', 'w1'));
      await bench.store.removeWorker('w1');
      await bench.plan('r2', [inParts()]);
      await toReduce(await bench.claimed('r2', 'w2'));
      expect((await bench.claimed('r2', 'w2')).work).toMatchObject({ kind: 'judge', stepKind: 'reduce' });
    });

    it('an answer that is known to be bad fails the job; a retry asks that again, and nothing else', async () => {
      await reducing();
      await bench.fail(await bench.claimed('r1'), INVALID);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', cached: false, latencyMs: null });
      await bench.plan('r2', [inParts()]);
      const settled = await toReduce(await bench.claimed('r2'));
      expect(settled).toMatchObject({ finish: null, ended: { state: 'failed', error: { reason: 'invalid_answer' } } });
      expect(await stepsOf('r2')).toEqual(['chunk cached', 'chunk cached', 'finish superseded', 'reduce known_bad']);
      expect((await bench.row('r2', 'j1')).error?.message).toContain('not asked again');
      await bench.store.retryJobs('r2', DLQ);
      const call = await bench.claimed('r2');
      expect(call.work).toMatchObject({ kind: 'call', stepKind: 'reduce', input: { kind: 'prompt' } });
      await bench.complete(call);
      expect(await bench.row('r2', 'j1')).toMatchObject({ state: 'succeeded', calls: 1 });
    });

    it('a key that failed for good in this run is not asked for a twin that comes to it later', async () => {
      await bench.plan('r1', [inParts('j1', 0), inParts('j2', 1)]);
      await toReduce(await toFinish());
      const twin = await bench.claimed('r1', 'w2');
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      expect(await toReduce(twin)).toMatchObject({ ended: { state: 'failed', error: { reason: 'bad_request' } } });
      expect((await bench.store.runTotals('r1')).calls).toBe(3);
      expect(await bench.store.retryJobs('r1', { ...DLQ, jobIds: ['j1'] })).toEqual({ requeued: 2 });
      await bench.complete(await bench.claimed('r1'));
      await bench.finish(await bench.claimed('r1'));
      expect(await bench.states('r1')).toEqual(['succeeded', 'succeeded']);
    });

    it('twins share the call', async () => {
      await bench.plan('r1', [inParts('j1', 0), inParts('j2', 1)]);
      await toReduce(await toFinish());
      await toReduce(await bench.claimed('r1', 'w2'));
      const call = await bench.claimed('r1');
      expect((await bench.claim('r1', 'w2')).kind).toBe('busy');
      await bench.complete(call);
      await bench.finish(await bench.claimed('r1', 'w2'));
      expect((await bench.rows('r1')).map(({ state, calls, cached }) => [state, calls, cached])).toEqual([
        ['succeeded', 3, false],
        ['succeeded', 0, true],
      ]);
    });

    it('leases of the finish that were lost before do not count against the one that follows', async () => {
      await bench.plan('r1', [inParts()], { settings: settings({ retry: { ...RETRY, lostLeases: 2 } }) });
      await toFinish('r1', 'w1');
      bench.clock.pass(TTL_MS);
      await toReduce(await bench.claimed('r1', 'w2'));
      finishOf(await bench.answer(await bench.claimed('r1', 'w2')));
      bench.clock.pass(TTL_MS);
      await bench.finish(await bench.claimed('r1', 'w3'));
      expect(await bench.states('r1')).toEqual(['succeeded']);
      expect(await attemptsOf('finish')).toEqual(['1 lost', '2 superseded', '3 lost', '4 succeeded']);
    });

    it('takes a slot, is counted as an open call, and waits while its run is paused', async () => {
      await reducing({ lanes: [lane({ concurrency: 1 })] });
      expect(await bench.store.openCalls('r1')).toMatchObject([{ calls: 1, maxInputTokens: 100 }]);
      await bench.store.pauseRun('r1');
      expect(await bench.claim('r1')).toMatchObject({ kind: 'stopped', state: 'paused' });
      await bench.store.resumeRun('r1');
      const call = await bench.claimed('r1');
      expect(await bench.store.openCalls('r1')).toEqual([]);
      await bench.plan('r2', [inParts('j1', 0, ['x', 'y'])], { lanes: [lane({ concurrency: 1 })] });
      expect(await bench.claim('r2')).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'lane_concurrency' }] });
      await bench.complete(call);
    });

    it('that will follow is counted as an open call, as large as it was foreseen, until it is there itself', async () => {
      const later = [{ inputTokens: 5, maxInputTokens: 900, answers: 2 }];
      await bench.plan('r1', [inParts('j1', 0, ['k0', 'k1'], { later })]);
      const open = async () => {
        const [calls] = await bench.store.openCalls('r1');
        return calls === undefined ? 'none' : `${calls.calls}: ${calls.maxInputTokens}, ${calls.largestInputTokens}`;
      };
      expect(await open()).toBe('3: 1100, 900');
      const finish = await toFinish();
      expect(await open()).toBe('1: 900, 900');
      await toReduce(finish);
      expect(await open()).toBe('1: 100, 100');
      await bench.supersede(await bench.claimed('r1'));
      expect(await open()).toMatch(/^1: \d+, /);
      await bench.complete(await bench.claimed('r1'));
      expect(await open()).toBe('none');
    });

    it('is foreseen again when its job is asked afresh, and not of one that failed', async () => {
      const later = [{ inputTokens: 5, maxInputTokens: 900, answers: 2 }];
      await bench.plan('r1', [inParts('j1', 0, ['k0', 'k1'], { later })]);
      await toReduce(await toFinish());
      await bench.finish(await toFinish(), { verdict: 'fail' });
      expect(await bench.store.openCalls('r1')).toEqual([]);
      const { calls } = await bench.store.retryOutlook('r1', FAILED);
      expect(calls.map(({ key, maxInputTokens, answers }) => [key, maxInputTokens, answers])).toEqual([
        ['k0', 100, 0],
        ['k1', 100, 0],
        [null, 900, 2],
      ]);
      await bench.store.retryJobs('r1', FAILED);
      expect(await bench.store.openCalls('r1')).toMatchObject([{ calls: 3, maxInputTokens: 1100, largestInputTokens: 900 }]);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent' }));
      expect(await bench.store.openCalls('r1')).toEqual([]);
    });

    it('draws on the lane of today, though the parts were answered by another key', async () => {
      await bench.plan('r1', [inParts()]);
      const finish = await toFinish();
      const lanes = [lane({ laneId: 'lane-2', accountId: 'account-2', concurrency: 1 })];
      await bench.store.openRun(newRun('again', { identity: 'identity of r1', lanes }));
      await toReduce(finish);
      await bench.store.pauseRun('r1');
      await bench.store.resumeRun('r1');
      const call = await bench.claimed('r1');
      await bench.fail(call, failure({ class: 'fatal', reason: 'quota' }));
      expect((await bench.store.runTotals('r1')).waiting).toMatchObject([{ why: 'lane_paused', laneId: 'lane-2' }]);
    });
  });

  describe(`${name}: reduce and cancel`, () => {
    const cancel = (now = false) => bench.store.cancelJobs('r1', ['j1'], { now });

    it('of a job that is cancelled while its parts are merged nothing more is called; its answers are kept', async () => {
      await bench.plan('r1', [inParts()]);
      const finish = await toFinish();
      expect(await cancel()).toMatchObject({ cancelled: 0, running: 1 });
      expect(await toReduce(finish)).toMatchObject({ applied: true, finish: null, ended: CANCELLED });
      expect(await stepsOf()).toEqual(['chunk answered', 'chunk answered', 'finish superseded', 'reduce cancelled']);
      expect((await bench.store.cachedKeys(['k0', 'k1'], null, null)).size).toBe(2);
      expect(await bench.claim('r1')).toEqual({ kind: 'drained' });
    });

    it('a queued reduce is cancelled, a running one is paid and goes to its verdict', async () => {
      await reducing();
      expect(await cancel()).toMatchObject({ cancelled: 1, running: 0 });
      await bench.plan('r2', [inParts()]);
      await toReduce(await bench.claimed('r2'));
      const call = await bench.claimed('r2');
      await bench.store.cancelRun('r2');
      await bench.complete(call);
      expect([await bench.states('r1'), await bench.states('r2')]).toEqual([['cancelled'], ['succeeded']]);
    });

    it('in a cancelled run what is paid is judged, and a job whose reduce was never asked ends as cancelled', async () => {
      await bench.plan('r1', [inParts()]);
      const [first, second] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w1')];
      await bench.call(first);
      await bench.call(second);
      await bench.store.cancelRun('r1');
      bench.clock.pass(TTL_MS);
      for (const dead of [first, second]) {
        const judge = await bench.claimed('r1', 'w2');
        expect(judge.work).toMatchObject({ kind: 'judge', callToken: dead.token });
        const settled = await bench.accept(judge, {}, dead.token);
        if (settled.applied && settled.finish !== null) expect(await toReduce(settled.finish)).toMatchObject({ ended: CANCELLED });
      }
      expect(await bench.claim('r1', 'w2')).toMatchObject({ kind: 'stopped', state: 'cancelled' });
      expect(await bench.states('r1')).toEqual(['cancelled']);
      expect((await bench.store.cachedKeys(['k0', 'k1'], null, null)).size).toBe(2);
    });

    it('in a cancelled run a reduce whose answer is known goes to its verdict', async () => {
      await reducing();
      await bench.finish(await toFinish());
      await bench.plan('r2', [inParts()]);
      const finish = await bench.claimed('r2');
      await bench.store.cancelRun('r2');
      expect(await toReduce(finish)).toMatchObject({ ended: null });
      await bench.finish(await bench.claimed('r2'));
      expect(await bench.states('r2')).toEqual(['succeeded']);
    });

    it('a job that was asked afresh and is cancelled at its reduce has its old result again, and the call that gave it', async () => {
      await reducing();
      await bench.finish(await toFinish(), { verdict: 'fail' });
      const before = await bench.row('r1', 'j1');
      bench.clock.pass(1000);
      await bench.store.retryJobs('r1', FAILED);
      await toReduce(await toFinish(), 'another');
      await cancel();
      const { calls: _, usage: __, costNanoUsd: ___, attempts: ____, endedAtMs: _____, ...rest } = await bench.row('r1', 'j1');
      expect(before).toMatchObject(rest);
      bench.clock.pass(1000);
      expect(await bench.store.retryJobs('r1', FAILED)).toEqual({ requeued: 1 });
      await toReduce(await toFinish(), 'a third');
      await bench.finish(await toFinish());
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });
  });

  describe(`${name}: reduce and retry`, () => {
    it('a failed reduce is asked again, its parts are not', async () => {
      await reducing();
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent' }));
      await bench.store.retryJobs('r1', DLQ);
      await bench.complete(await bench.claimed('r1'));
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 4 });
      expect(await stepsOf()).toEqual(['chunk answered', 'chunk answered', 'finish finished', 'reduce answered']);
    });

    it('one whose re-ask failed is asked afresh', async () => {
      await reducing();
      await bench.supersede(await bench.claimed('r1'));
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.store.retryJobs('r1', DLQ);
      const call = await bench.claimed('r1');
      expect(call.work).toMatchObject({ kind: 'call', stepKind: 'reduce' });
      await bench.complete(call);
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('a finish whose checks failed runs again over the same answers', async () => {
      await reducing();
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      const check = failure({ class: 'permanent', reason: 'check_error' });
      await bench.store.settle(finish.token, { kind: 'unjudged', failure: check });
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', latencyMs: 1234.5 });
      await bench.store.retryJobs('r1', DLQ);
      const again = await bench.claimed('r1');
      expect(again.work).toEqual(finish.work);
      await bench.finish(again);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 3 });
    });

    it('answers that make none together are all asked anew, and the finish of before is history', async () => {
      await reducing();
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      await bench.store.settle(finish.token, { kind: 'unjudged', failure: INVALID });
      bench.clock.pass(1000);
      await bench.store.retryJobs('r1', DLQ);
      expect(await stepsOf()).toEqual(['chunk queued', 'chunk queued', 'finish superseded', 'reduce superseded']);
      bench.clock.pass(1000);
      const [lost, kept] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      await bench.fail(lost, failure({ class: 'permanent' }));
      await bench.answer(kept);
      await bench.store.retryJobs('r1', DLQ);
      expect(await stepsOf()).toEqual(['chunk queued', 'chunk answered', 'finish superseded', 'reduce superseded']);
      const again = finishOf(await bench.answer(await bench.claimed('r1')));
      expect(again.work).toMatchObject({ answers: [{ stepKind: 'chunk' }, { stepKind: 'chunk' }] });
      await toReduce(again);
      const call = await bench.claimed('r1');
      expect(call.work).toMatchObject({ kind: 'call', stepKind: 'reduce', key: 'kr' });
      await bench.complete(call);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'succeeded', calls: 7 });
    });

    it('new answers are asked of all parts, and of the reduce even when its prompt is the same', async () => {
      await reducing();
      await bench.finish(await toFinish(), { verdict: 'fail' });
      bench.clock.pass(1000);
      expect(await bench.store.retryJobs('r1', FAILED)).toEqual({ requeued: 1 });
      bench.clock.pass(1000);
      const finish = await toFinish();
      expect(finish.work).toMatchObject({ answers: [{ stepKind: 'chunk' }, { stepKind: 'chunk' }] });
      await toReduce(finish);
      const call = await bench.claimed('r1');
      expect(call.work).toMatchObject({ kind: 'call', key: 'kr' });
      const second = finishOf(await bench.answer(call));
      expect(second.work).toMatchObject({ answers: [{}, {}, { callToken: call.token }] });
      await bench.finish(second);
      expect(await bench.row('r1', 'j1')).toMatchObject({ verdict: 'pass', calls: 6, result: { callToken: call.token } });
    });

    it('a reduce of an earlier round is never asked again: the new answers get one of their own', async () => {
      await reducing();
      // A re-ask that failed belongs to the first round, and stays failed.
      await bench.supersede(await bench.claimed('r1'));
      await bench.fail(await bench.claimed('r1'), INVALID);
      await bench.store.retryJobs('r1', DLQ);
      await bench.complete(await bench.claimed('r1'), { verdict: 'fail' });
      bench.clock.pass(1000);
      await bench.store.retryJobs('r1', FAILED);
      bench.clock.pass(1000);
      const [lost, kept] = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
      await bench.fail(lost, failure({ class: 'permanent' }));
      await bench.answer(kept);
      expect(await bench.row('r1', 'j1')).toMatchObject({ state: 'failed', result: null, latencyMs: null, cached: false });
      await bench.store.retryJobs('r1', DLQ);
      const finish = finishOf(await bench.answer(await bench.claimed('r1')));
      expect(finish.work).toMatchObject({ answers: [{ stepKind: 'chunk' }, { stepKind: 'chunk' }] });
      await toReduce(finish, 'new prompt');
      const call = await bench.claimed('r1');
      expect(call.work).toMatchObject({ kind: 'call', stepKind: 'reduce', key: 'new prompt' });
      await bench.complete(call);
      expect(await bench.states('r1')).toEqual(['succeeded']);
    });

    it('a prune of the run leaves no input behind', async () => {
      await reducing();
      await bench.finish(await toFinish());
      await bench.store.finishRun('r1');
      await bench.store.pruneRun('r1');
      await bench.store.pruneUnused({ dryRun: false });
      expect((await bench.store.inspect()).filter(({ status }) => status === 'problem')).toEqual([]);
    });
  });

  describe(`${name}: extractions`, () => {
    const extracted = (documentId: string, key: string, text?: string) => {
      const plain = document(documentId, text);
      if (!plain.content.ok) throw new Error('a document with text');
      return { ...plain, content: { ...plain.content, extraction: { key, tokens: 7, maxTokens: 9 } } };
    };

    it('what a run extracted is there for the next one, by its key', async () => {
      await bench.store.openRun(newRun('r1'));
      await bench.store.addDocuments('r1', [extracted('a.md', 'e1'), document('b.md')]);
      await bench.store.addDocuments('r1', [extracted('a.md', 'e1')]);
      expect(await bench.store.extraction('e1')).toEqual({ content: canonicalText('text of a.md'), tokens: 7, maxTokens: 9 });
      expect(await bench.store.extraction('e2')).toBeNull();
    });

    it('the tokens of its stretches are there with it, so that it is cut alike again', async () => {
      const { content, ...document } = extracted('a.md', 'e1');
      await bench.store.openRun(newRun('r1'));
      await bench.store.addDocuments('r1', [
        { ...document, content: { ...content, extraction: { ...content.extraction, stretches: [3, 4] } } },
      ]);
      expect(await bench.store.extraction('e1')).toMatchObject({ tokens: 7, stretches: [3, 4] });
    });

    it('it goes with its text, when no run has a document of it', async () => {
      for (const runId of ['r1', 'r2']) {
        await bench.store.openRun(newRun(runId));
        await bench.store.addDocuments(runId, [extracted(`${runId}.md`, runId), extracted('shared.md', 'shared', 'shared')]);
        await bench.store.cancelRun(runId);
      }
      await bench.store.pruneRun('r1');
      const { rows } = await bench.store.pruneUnused({ dryRun: true });
      expect(await bench.store.pruneUnused({ dryRun: false })).toMatchObject({ rows });
      expect(await bench.store.extraction('r1')).toBeNull();
      for (const key of ['r2', 'shared']) expect(await bench.store.extraction(key)).not.toBeNull();
      await bench.store.pruneRun('r2');
      await bench.store.pruneUnused({ dryRun: false });
      expect(await bench.store.extraction('shared')).toBeNull();
      expect((await bench.store.inspect()).filter(({ status }) => status === 'problem')).toEqual([]);
    });
  });
}
