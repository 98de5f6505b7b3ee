import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, Clock, START_MS, sumsOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import {
  canonicalText,
  completion,
  document,
  FREE_ERROR,
  failure,
  job,
  jobOfKey,
  newRun,
  PAID,
  result,
  settings,
  sha256,
  step,
  TTL_MS,
  USAGE,
  worker,
} from './rows.ts';

/** What is read back is what was written, and the totals are the sums of the rows. */
export function rowsContract(name: string, open: OpenStore): void {
  describe(`${name}: rows`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    it('documents come back in order, without their texts', async () => {
      await bench.store.openRun(newRun('r1'));
      const broken = { ok: false, reason: 'document_encrypted', message: 'needs a password' } as const;
      const unreadable = { documentId: 'a.pdf', path: '/a.pdf', bytesSha256: null, tags: [], sizeBytes: null, content: broken };
      await bench.store.addDocuments('r1', [document('z.md'), unreadable]);
      const { text, ...content } = { ...document('z.md').content, text: null };
      expect(text).toBeNull();
      expect(await bench.store.documents('r1')).toEqual([{ ...document('z.md'), content }, unreadable]);
    });

    it('a text is read back whole, with the positions of its own document', async () => {
      await bench.plan('r1', []);
      const content = canonicalText('text of a.md');
      expect(await bench.store.canonicalText('r1', 'a.md')).toEqual(content);
      expect(await bench.store.canonicalText('r1', 'none.md')).toBeNull();
      const paged = { ...content, extractor: 'pdf@1', pages: [{ number: 1, label: 'i', start: 0, end: 12 }] };
      const twin = { ...document('a.pdf'), content: { ok: true, textSha256: paged.textSha256, text: paged } as const };
      await bench.store.addDocuments('r1', [twin]);
      expect(await bench.store.canonicalText('r1', 'a.pdf')).toEqual(paged);
      expect(await bench.store.canonicalText('r1', 'a.md')).toEqual(content);
    });

    it('characters of every kind survive', async () => {
      await bench.store.openRun(newRun('r1'));
      const odd = 'ﬁ — “x” 😀 e\u0301 \u0000 \u2028 end';
      await bench.store.addDocuments('r1', [document('a.md', odd)]);
      expect((await bench.store.canonicalText('r1', 'a.md'))?.text).toBe(odd);
    });

    it('a completed job shows its verdict, answer, usage and cost', async () => {
      await bench.plan('r1', [job('j1', 7, { repeat: 1 })]);
      const claim = await bench.claimed('r1');
      await bench.complete(claim, { verdict: 'fail', answer: ['a'], repaired: true });
      bench.clock.pass(5);
      expect(await bench.row('r1', 'j1')).toEqual({
        seq: 7,
        jobId: 'j1',
        documentId: 'a.md',
        bytesSha256: sha256('bytes of a.md'),
        textSha256: sha256('text of a.md'),
        task: 'task',
        model: 'model',
        repeat: 1,
        state: 'succeeded',
        verdict: 'fail',
        result: result(claim.token, { verdict: 'fail', answer: ['a'], repaired: true }),
        error: null,
        usage: USAGE,
        costNanoUsd: 5000,
        calls: 1,
        attempts: 1,
        retries: 0,
        cached: false,
        origin: null,
        latencyMs: 1234.5,
        endedAtMs: START_MS,
      });
    });

    it('the record of a job tells its steps, attempts and calls', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const failed = await bench.claimed('r1');
      await bench.fail(failed, failure());
      bench.clock.pass(2000);
      const claim = await bench.claimed('r1');
      bench.clock.pass(10);
      await bench.complete(claim);
      const keyRecord = step('k').keyRecord;
      const call = { stepId: claim.stepId, state: 'settled' } as const;
      const record = await bench.store.jobRecord('r1', 'j1');
      expect(record?.steps).toMatchObject([
        {
          stepId: claim.stepId,
          kind: 'answer',
          index: 0,
          key: 'key of j1',
          state: 'succeeded',
          outcome: 'answered',
          callToken: claim.token,
          keyRecord,
        },
        { kind: 'finish', key: null, state: 'succeeded', outcome: 'finished', leaseOwner: null, keyRecord: null },
      ]);
      expect(record?.attempts).toEqual([
        {
          stepId: claim.stepId,
          number: 1,
          callToken: failed.token,
          outcome: 'failed',
          failure: failure(),
          startedAtMs: START_MS,
          endedAtMs: START_MS,
        },
        {
          stepId: claim.stepId,
          number: 2,
          callToken: claim.token,
          outcome: 'succeeded',
          failure: null,
          startedAtMs: START_MS + 2000,
          endedAtMs: START_MS + 2010,
        },
        {
          stepId: expect.any(Number),
          number: 1,
          callToken: null,
          outcome: 'succeeded',
          failure: null,
          startedAtMs: START_MS + 2010,
          endedAtMs: START_MS + 2010,
        },
      ]);
      expect(record?.calls).toEqual([
        { ...call, callToken: failed.token, usage: null, costNanoUsd: 0, sentAtMs: START_MS, settledAtMs: START_MS },
        { ...call, callToken: claim.token, usage: USAGE, costNanoUsd: 5000, sentAtMs: START_MS + 2010, settledAtMs: START_MS + 2010 },
      ]);
      expect(await bench.store.jobRecord('r1', 'none')).toBeNull();
    });

    it('the records of several jobs are those of each of them, in plan order', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      await bench.fail(await bench.claimed('r1'), failure());
      await bench.complete(await bench.claimed('r1'));
      const each = [await bench.store.jobRecord('r1', 'j1'), await bench.store.jobRecord('r1', 'j2')];
      expect(each.map((record) => record?.job.seq)).toEqual([0, 1]);
      expect(await bench.store.jobRecords('r1', ['j2', 'none', 'j1'])).toEqual(each);
      expect(await bench.store.jobRecords('r1', [])).toEqual([]);
    });

    it('a leased step shows who holds it and until when', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.claimed('r1', 'w2');
      expect((await bench.store.jobRecord('r1', 'j1'))?.steps).toMatchObject([
        { state: 'running', leaseOwner: 'w2', leaseExpiresAtMs: START_MS + TTL_MS },
      ]);
      expect(await bench.store.workers()).toMatchObject(
        ['w1', 'w2', 'w3'].map((id) => ({
          ...worker(id),
          tags: [],
          startedAtMs: START_MS,
          beatAtMs: START_MS,
          alive: true,
          ...(id === 'w2' ? { running: 1, oldestLeaseAtMs: START_MS } : { running: 0, oldestLeaseAtMs: null }),
        })),
      );
    });

    it('a response is read back as it came, and only the first of a call counts', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await bench.call(claim, 'first');
      await bench.store.recordResponse(claim.token, completion('second'));
      expect(await bench.store.response(claim.token)).toEqual(completion('first'));
      expect(await bench.store.response('none')).toBeNull();
    });

    it('job rows come in pages of plan order, failed ones alone on request', async () => {
      const unusable = { reason: 'document_empty', message: 'empty' } as const;
      const jobs = [0, 1, 2, 3].map((seq) => (seq === 2 ? job(`j${seq}`, seq, { failure: unusable, steps: [] }) : job(`j${seq}`, seq)));
      await bench.plan('r1', jobs);
      const page = async (after: number, onlyFailed = false) =>
        (await bench.store.jobRows('r1', { after, limit: 2, onlyFailed })).map((row) => row.seq);
      expect([await page(-1), await page(1), await page(3), await page(-1, true)]).toEqual([[0, 1], [2, 3], [], [2]]);
    });

    it('artifacts are due for ended jobs until they are marked', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toEqual([]);
      await bench.complete(await bench.claimed('r1'));
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
      await bench.store.markArtifacts('r1', newRun('r1').outDir, await bench.rows('r1'));
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toEqual([]);
      await bench.complete(await bench.claimed('r1'));
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j2']);
    });

    it('a summary is due for ended runs until it is marked', async () => {
      await bench.plan('r1', []);
      expect(await bench.store.runsWithoutSummary()).toEqual([]);
      await bench.store.finishRun('r1');
      expect((await bench.store.runsWithoutSummary()).map((run) => run.runId)).toEqual(['r1']);
      await bench.markWritten('r1');
      expect(await bench.store.runsWithoutSummary()).toEqual([]);
      expect(await bench.store.getRun('r1')).toMatchObject({ summaryAtMs: START_MS });
    });

    it('files written from old rows are not marked', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.complete(await bench.claimed('r1'));
      const { revision } = await bench.run('r1');
      expect(await bench.store.markSummary('r1', revision)).toBe(true);
      const failing = await bench.claimed('r1');
      expect(await bench.store.markSummary('r1', revision)).toBe(false);
      await bench.fail(failing, failure({ class: 'permanent', reason: 'bad_request' }));
      const rows = await bench.rows('r1');
      await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
      bench.clock.pass(10);
      await bench.complete(await bench.claimed('r1'));
      await bench.store.markArtifacts('r1', newRun('r1').outDir, rows);
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j2']);
    });

    it('files written into a folder that the run has left are not marked', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.complete(await bench.claimed('r1'));
      await bench.store.markArtifacts('r1', '/home/ann/elsewhere', await bench.rows('r1'));
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
    });

    it('the files that tell of a job are due again when a call of it ends after it', async () => {
      const chunks = [step('k1', { kind: 'chunk' }), step('k2', { kind: 'chunk', index: 1 })];
      await bench.plan('r1', [job('j1', 0, { steps: chunks })]);
      const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1')];
      await bench.fail(first, failure({ class: 'permanent', reason: 'bad_request' }));
      const { revision } = await bench.run('r1');
      await bench.markWritten('r1');
      await bench.answer(second);
      expect(await bench.store.markSummary('r1', revision)).toBe(false);
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1']);
      expect(await bench.run('r1')).toMatchObject({ summaryAtMs: null });
    });

    it('an ended run is due for its files while those of a job are not written, and again when they are cleared', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.complete(await bench.claimed('r1'));
      await bench.store.finishRun('r1');
      const due = async () => (await bench.store.runsWithoutSummary()).map((run) => run.runId);
      const { revision } = await bench.run('r1');
      await bench.store.markSummary('r1', revision);
      expect(await due()).toEqual(['r1']);
      await bench.markWritten('r1');
      expect(await due()).toEqual([]);
      await bench.store.clearArtifacts('r1');
      expect(await due()).toEqual(['r1']);
      expect(await bench.store.jobsWithoutArtifacts('r1', 10)).toHaveLength(1);
      expect(await bench.store.markSummary('r1', revision)).toBe(false);
    });

    it('a worker that was killed is forgotten when it has been silent for ten lease times and holds nothing', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      await bench.claimed('r1', 'w2');
      bench.clock.pass(10 * TTL_MS - 1);
      await bench.store.registerWorker(worker('w4'));
      const ids = async () => (await bench.store.workers()).map((row) => row.workerId);
      expect(await ids()).toEqual(['w1', 'w2', 'w3', 'w4']);
      bench.clock.pass(1);
      await bench.store.registerWorker(worker('w5'));
      expect(await ids()).toEqual(['w2', 'w4', 'w5']);
      // It had only slept.
      await bench.claim('r1', 'w1');
      expect(await ids()).toContain('w1');
    });

    it('totals equal the sums over the rows in every state', async () => {
      const unusable = { reason: 'document_empty', message: 'empty' } as const;
      await bench.plan('r1', [
        jobOfKey('j0', 0, 'k'),
        jobOfKey('j1', 1, 'k'),
        job('j2', 2),
        job('j3', 3),
        job('j4', 4, { failure: unusable, steps: [] }),
        job('j5', 5),
        job('j6', 6, { model: 'other' }),
      ]);
      await bench.complete(await bench.claimed('r1'));
      await bench.finish(await bench.claimed('r1'), { verdict: 'review' });
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      await bench.fail(await bench.claimed('r1'), failure());
      const lost = await bench.claimed('r1');
      await bench.store.markSent(lost.token);
      bench.clock.pass(TTL_MS);
      await bench.claimed('r1', 'w2');
      const totals = await bench.store.runTotals('r1');
      const { jobs, calls, attempts, cacheHits, tokens } = totals;
      expect({ jobs, calls, attempts, cacheHits, tokens }).toEqual(await sumsOf(bench.store, 'r1'));
      expect(totals).toEqual({
        jobs: { total: 7, queued: 2, running: 1, succeeded: 2, failed: 2, cancelled: 0 },
        results: { total: 7, open: 3, pass: 1, fail: 0, review: 1, error: 2 },
        calls: 4,
        attempts: 4,
        cacheHits: 1,
        cost: {
          spentNanoUsd: 5000,
          reservedNanoUsd: 0,
          uncertainNanoUsd: 0,
          unpricedCalls: 0,
          uncertainCalls: 1,
          uncertainUnpricedCalls: 1,
        },
        budget: null,
        happenedAtMs: START_MS + TTL_MS,
        lostLeases: 1,
        tokens: { input: 100, cachedInput: 20, output: 30 },
        byModel: [
          {
            model: 'model',
            total: 6,
            queued: 1,
            running: 1,
            pass: 1,
            fail: 0,
            review: 1,
            error: 2,
            cancelled: 0,
            cached: 1,
            inputTokens: 100,
            cachedInputTokens: 20,
            outputTokens: 30,
            spentNanoUsd: 5000,
            firstTokenMs: null,
            tokensPerSecond: null,
            parts: 0,
            openParts: 0,
            rateLimited: 0,
            p50Ms: null,
            p95Ms: null,
          },
          {
            model: 'other',
            total: 1,
            queued: 1,
            running: 0,
            pass: 0,
            fail: 0,
            review: 0,
            error: 0,
            cancelled: 0,
            cached: 0,
            inputTokens: 0,
            cachedInputTokens: 0,
            outputTokens: 0,
            spentNanoUsd: 0,
            firstTokenMs: null,
            tokensPerSecond: null,
            parts: 0,
            openParts: 0,
            rateLimited: 0,
            p50Ms: null,
            p95Ms: null,
          },
        ],
        dlq: [
          { reason: 'bad_request', count: 1 },
          { reason: 'document_empty', count: 1 },
        ],
        retries: [
          { reason: 'server_error', count: 1 },
          { reason: 'worker_lost', count: 1 },
        ],
        waiting: [],
        inFlight: { calls: 0, nanoUsd: 0 },
      });
    });

    it('totals say what waits, and why', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)], { settings: settings({ runConcurrency: 1 }) });
      await bench.fail(await bench.claimed('r1'), failure());
      await bench.claimed('r1');
      expect((await bench.store.runTotals('r1')).waiting).toEqual([
        { why: 'run_concurrency', laneId: null, count: 1, untilMs: null, message: null, slots: { taken: 1, of: 1, atMost: 1 } },
        { why: 'backoff', laneId: null, count: 1, untilMs: START_MS + 1000, message: null },
      ]);
    });

    it('a cost is unknown only when no paid call has a price', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      const unpriced = await bench.claimed('r1');
      await bench.call(unpriced);
      await bench.store.settle(unpriced.token, {
        kind: 'answered',
        callToken: unpriced.token,
        answer: 1,
        repaired: false,
        call: { ...PAID, costNanoUsd: null },
      });
      expect((await bench.row('r1', 'j1')).costNanoUsd).toBeNull();
      expect((await bench.store.runTotals('r1')).cost).toMatchObject({ spentNanoUsd: null, unpricedCalls: 1 });
      await bench.complete(await bench.claimed('r1'));
      expect((await bench.store.runTotals('r1')).cost).toMatchObject({ spentNanoUsd: 5000, unpricedCalls: 1 });
    });

    it('a call that may be billed is uncertain, not spent', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      const call = { state: 'unknown', usage: null, costNanoUsd: null } as const;
      await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: failure({ reason: 'stream_cut' }), call });
      expect((await bench.store.runTotals('r1')).cost).toEqual({
        spentNanoUsd: 0,
        reservedNanoUsd: 0,
        uncertainNanoUsd: 0,
        unpricedCalls: 0,
        uncertainCalls: 1,
        uncertainUnpricedCalls: 1,
      });
    });

    it('results over repeats follow their rule, and cancelled repeats count as errors', async () => {
      const repeats = [0, 1, 2].map((repeat) => job(`j${repeat}`, repeat, { repeat }));
      const others = [0, 1].map((repeat) =>
        job(`x${repeat}`, 3 + repeat, { repeat, documentId: 'b.md', textSha256: sha256('text of b.md') }),
      );
      await bench.plan('r1', [...repeats, ...others], { aggregates: { task: { repeats: 3, aggregate: 'majority' } } });
      for (const verdict of ['pass', 'fail', 'pass'] as const) await bench.complete(await bench.claimed('r1'), { verdict });
      await bench.complete(await bench.claimed('r1'));
      expect((await bench.store.runTotals('r1')).results).toEqual({ total: 2, open: 1, pass: 1, fail: 0, review: 0, error: 0 });
      await bench.store.cancelRun('r1');
      expect((await bench.store.runTotals('r1')).results).toEqual({ total: 2, open: 0, pass: 1, fail: 0, review: 0, error: 1 });
    });

    it('an error answered by the server costs nothing and is counted as a call', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const claim = await bench.claimed('r1');
      await bench.store.markSent(claim.token);
      const bad = failure({ class: 'permanent', reason: 'bad_request' });
      await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: bad, call: FREE_ERROR });
      expect(await bench.row('r1', 'j1')).toMatchObject({ calls: 1, attempts: 1, costNanoUsd: 0 });
    });
  });
}
