import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogPage, LogRow } from '../../src/store/log-rows.ts';
import { Bench, Clock, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { chunk, completion, failure, job, PAID } from './rows.ts';

const ALL: LogPage = { after: null, sinceMs: 0, beforeMs: Number.MAX_SAFE_INTEGER, limit: 1000, onlyFailed: false, jobIds: null };

/** What happened can be read in its order, page by page; and a look at the totals says how far jobs in parts are, and when something last happened. */
export function logContract(name: string, open: OpenStore): void {
  describe(`${name}: what happened`, () => {
    let opened: OpenedStore;
    let bench: Bench;

    beforeEach(async () => {
      const clock = new Clock();
      opened = await open(clock.read);
      bench = new Bench(opened.store, clock);
    });
    afterEach(() => opened.dispose());

    const read = (page: Partial<LogPage> = {}) => bench.store.logRows('r1', { ...ALL, ...page });

    /** j1 is tried twice and passes, j2 is asked again and fails its checks, j3 is given up. */
    async function story(): Promise<void> {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
      await bench.fail(await bench.claimed('r1'), failure());
      bench.clock.pass(1);
      const score = {
        check: 'few',
        type: 'count',
        severity: 'must',
        verdict: 'fail',
        value: 9,
        explanation: 'too many',
        findings: [],
      } as const;
      const second = await bench.claimed('r1');
      await bench.supersede(second);
      bench.clock.pass(1);
      await bench.complete(await bench.claimed('r1'), { verdict: 'fail', scores: [score] });
      bench.clock.pass(1);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request', message: 'no' }));
      bench.clock.pass(60_000);
      await bench.complete(await bench.claimed('r1'));
    }

    const short = (row: LogRow): string =>
      row.kind === 'try'
        ? `${row.place.atMs - START_MS} ${row.job.jobId} ${row.step} ${row.outcome}${row.final && row.outcome === 'failed' ? ' for good' : ''}: ${row.failure?.reason}`
        : `${row.place.atMs - START_MS} ${row.job.jobId} ${row.state} ${row.verdict}${row.error === null ? '' : `: ${row.error.reason}`}`;

    const STORY = [
      '0 j1 answer failed: server_error',
      '1 j2 answer superseded: invalid_answer',
      '2 j2 succeeded fail',
      '3 j3 answer failed for good: bad_request',
      '3 j3 failed error: bad_request',
      '60003 j1 succeeded pass',
    ];

    it('is told oldest first: tries that failed or were asked again, and how jobs ended, with the scores of a fail', async () => {
      await story();
      const rows = await read();
      expect(rows.map(short)).toEqual(STORY);
      expect(rows[2]).toMatchObject({ job: { documentId: 'a.md', task: 'task', model: 'model', repeat: 0 }, scores: [{ check: 'few' }] });
      expect(rows[5]).toMatchObject({ kind: 'job', scores: [], cached: false });
      expect(await bench.store.logRows('none', ALL)).toEqual([]);
    });

    it.each([1, 2, 3])('in pages of %i nothing is missed and nothing told twice, also of one millisecond', async (limit) => {
      await story();
      const rows: LogRow[] = [];
      for (;;) {
        const page = await read({ after: rows.at(-1)?.place ?? null, limit });
        rows.push(...page);
        if (page.length < limit) break;
      }
      expect(rows.map(short)).toEqual(STORY);
    });

    it('may be only of what failed, of some jobs, of some time', async () => {
      await story();
      expect((await read({ onlyFailed: true })).map(short)).toEqual([STORY[0], STORY[2], STORY[3], STORY[4]]);
      expect((await read({ jobIds: ['j2'] })).map(short)).toEqual([STORY[1], STORY[2]]);
      expect((await read({ sinceMs: START_MS + 2, beforeMs: START_MS + 4 })).map(short)).toEqual([STORY[2], STORY[3], STORY[4]]);
    });

    it('what comes later is told after the place that was reached, whoever does it', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
      await bench.complete(await bench.claimed('r1'));
      const [first] = await read();
      const another = new Bench(await opened.another(), bench.clock);
      bench.clock.pass(5);
      await another.complete(await another.claimed('r1', 'w1'));
      expect((await read({ after: first?.place ?? null })).map(short)).toEqual(['5 j2 succeeded pass']);
      await another.store.close();
    });

    it('the totals say when something last happened, and how often a server refused for its rate', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      expect((await bench.store.runTotals('r1')).happenedAtMs).toBeNull();
      bench.clock.pass(10);
      await bench.fail(await bench.claimed('r1'), failure({ class: 'rate', reason: 'rate_limited', status: 429 }));
      const { happenedAtMs, byModel } = await bench.store.runTotals('r1');
      expect([happenedAtMs, byModel[0]?.rateLimited]).toEqual([START_MS + 10, 1]);
    });

    it('the totals count the parts of documents that are asked in parts, and those that are not over', async () => {
      await bench.plan('r1', [job('j1', 0, { steps: [chunk('k1', 0), chunk('k2', 1)] }), job('j2', 1)]);
      const parts = async () => (await bench.store.runTotals('r1')).byModel.map((model) => [model.openParts, model.parts]);
      expect(await parts()).toEqual([[2, 2]]);
      await bench.answer(await bench.claimed('r1'));
      expect(await parts()).toEqual([[1, 2]]);
      await bench.store.cancelRun('r1');
      expect(await parts()).toEqual([[0, 2]]);
    });

    it('the totals say how long calls take, to within a twentieth', async () => {
      await bench.plan(
        'r1',
        Array.from({ length: 20 }, (_, index) => job(`j${index}`, index)),
      );
      expect((await bench.store.runTotals('r1')).byModel[0]).toMatchObject({ p50Ms: null, p95Ms: null });
      for (let index = 0; index < 20; index += 1) {
        const claim = await bench.claimed('r1');
        const latencyMs = index < 15 ? 1000 : 40_000;
        await bench.store.markSent(claim.token);
        await bench.store.recordResponse(claim.token, { ...completion(), latencyMs });
        const call = { ...PAID, timing: { latencyMs, firstTokenMs: null } };
        await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
      }
      const { p50Ms, p95Ms } = (await bench.store.runTotals('r1')).byModel[0] ?? {};
      expect(p50Ms).toBeGreaterThan(950);
      expect(p50Ms).toBeLessThan(1050);
      expect(p95Ms).toBeGreaterThan(38_000);
      expect(p95Ms).toBeLessThan(42_000);
    });
  });
}
