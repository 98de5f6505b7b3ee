import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Usage } from '../../src/domain/money.ts';
import type { RunSettings } from '../../src/domain/run.ts';
import type { CallOutcome, Claim } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals, finishOf, START_MS } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, FREE_ERROR, failure, job, jobOfKey, PAID, settings, TTL_MS, USAGE } from './rows.ts';

/** What calls may cost before it is known, and what they are taken to have cost when it never will be. */
export function moneyContract(name: string, open: OpenStore): void {
  describe(`${name}: money`, () => {
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

    const RATE = { price: { inputPerMTok: 1, outputPerMTok: 2 }, maxOutputTokens: 1000 };
    /** Of a call with the 100 input tokens of `step`, in nano-USD. */
    const WORST = 100 * 1000 + 1000 * 2000;
    const PRICED = { settings: settings({ rates: { model: RATE, free: { price: 'free', maxOutputTokens: null } } }) } as const;
    const UNKNOWN = { state: 'unknown', usage: null, costNanoUsd: null } as const;

    const cost = async (runId = 'r1') => (await bench.store.runTotals(runId)).cost;
    const settleUnknown = (at: 'worst' | 'expected' | 'zero', runId = 'r1') => bench.store.settleUnknown(runId, at);

    /** Sends and hears nothing. */
    async function hearNothing(claim: Claim, call: CallOutcome = UNKNOWN): Promise<void> {
      await bench.store.markSent(claim.token);
      const silence = {
        kind: 'failed',
        callToken: claim.token,
        failure: failure({ class: 'permanent', reason: 'timeout' }),
        call,
      } as const;
      await bench.store.settle(claim.token, silence);
    }

    it('a call whose answer comes when its worker is long given up costs what the answer says', async () => {
      await bench.plan('r1', [job('j1', 0)], PRICED);
      const late = await bench.claimed('r1', 'w1');
      await bench.store.markSent(late.token);
      bench.clock.pass(TTL_MS);
      await bench.claimed('r1', 'w2');
      expect(await cost()).toMatchObject({ uncertainCalls: 1, uncertainNanoUsd: WORST });
      await bench.store.recordResponse(late.token, completion());
      expect(await cost()).toMatchObject({ uncertainCalls: 0, spentNanoUsd: 100 * 1000 + 30 * 2000 });
    });

    it('a call whose worker died with its answer stored is no riddle', async () => {
      await bench.plan('r1', [job('j1', 0)], PRICED);
      await bench.call(await bench.claimed('r1', 'w1'));
      bench.clock.pass(TTL_MS);
      await bench.claimed('r1', 'w2');
      expect(await cost()).toMatchObject({ uncertainCalls: 0, spentNanoUsd: 100 * 1000 + 30 * 2000 });
    });

    it('in flight is what was sent and not answered, with the most that it can cost, whether its worker lives or not', async () => {
      const inFlight = async () => (await bench.store.runTotals('r1')).inFlight;
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)], PRICED);
      const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1', 'w2')];
      await bench.claimed('r1');
      expect(await inFlight()).toEqual({ calls: 0, nanoUsd: 0 });
      for (const { token } of [first, second]) await bench.store.markSent(token);
      expect(await inFlight()).toEqual({ calls: 2, nanoUsd: 2 * WORST });
      await bench.store.recordResponse(first.token, completion());
      expect(await inFlight()).toEqual({ calls: 1, nanoUsd: WORST });
      await bench.accept(first);
      await bench.store.settle(second.token, { kind: 'handed_back' });
      expect(await inFlight()).toEqual({ calls: 0, nanoUsd: 0 });
    });

    it('a claim reserves the most that its call may cost, until what it cost is known', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)], PRICED);
      const claim = await bench.claimed('r1');
      expect(await cost()).toMatchObject({ reservedNanoUsd: WORST, spentNanoUsd: 0 });
      await bench.call(claim);
      const unsent = await bench.claimed('r1');
      expect(await cost()).toMatchObject({ reservedNanoUsd: 2 * WORST, spentNanoUsd: 0 });
      await bench.accept(claim);
      expect(await cost()).toMatchObject({ reservedNanoUsd: WORST, spentNanoUsd: PAID.costNanoUsd });
      await bench.store.settle(unsent.token, { kind: 'handed_back' });
      expect(await cost()).toMatchObject({ reservedNanoUsd: 0, uncertainNanoUsd: 0 });
    });

    it('a re-ask may cost more than the question that it mends, by what it shows of the answer', async () => {
      await bench.plan('r1', [job('j1', 0)], PRICED);
      await bench.supersede(await bench.claimed('r1'));
      await bench.claimed('r1');
      const reask = { answer: '{"findings":1}', errors: ['/findings must be an array'] };
      const { reservedNanoUsd } = await cost();
      expect(reservedNanoUsd).toBeGreaterThanOrEqual(WORST + JSON.stringify(reask).length * 1000);
      expect(reservedNanoUsd).toBeLessThan(WORST + (JSON.stringify(reask).length + 500) * 1000);
    });

    it('a call nobody heard of again is uncertain at its worst; without price or bound it is only counted', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2, { model: 'other' }), job('j4', 3, { model: 'free' })], PRICED);
      await hearNothing(await bench.claimed('r1'));
      await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
      bench.clock.pass(TTL_MS);
      await bench.claim('r1', 'w2');
      const others = [await bench.claimed('r1', 'w2'), await bench.claimed('r1', 'w2')];
      for (const claim of others) await hearNothing(claim);
      expect(await bench.store.runTotals('r1')).toMatchObject({
        lostLeases: 1,
        cost: { uncertainCalls: 4, uncertainNanoUsd: 2 * WORST, uncertainUnpricedCalls: 1, reservedNanoUsd: WORST, spentNanoUsd: 0 },
      });
    });

    describe('prices of a joiner', () => {
      const dearer = { price: { inputPerMTok: 10, outputPerMTok: 20 }, maxOutputTokens: 1000 };
      const BY_RATE = 100 * 1000 + 30 * 2000;
      const unpriced: CallOutcome = { state: 'settled', usage: USAGE, costNanoUsd: null };
      const answer = (claim: Claim, call: CallOutcome) =>
        bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });

      it('hold for the calls that follow: a claim says by which rate its call was reserved', async () => {
        await bench.plan('r1', [job('j1', 0), job('j2', 1)], PRICED);
        const before = await bench.claimed('r1');
        await bench.plan('r1', [], { settings: settings({ rates: { model: dearer } }) });
        const after = await bench.claimed('r1');
        expect([before.work, after.work]).toMatchObject([{ rate: RATE }, { rate: dearer }]);
        expect(await cost()).toMatchObject({ reservedNanoUsd: WORST + 10 * WORST });
        await bench.call(after);
        bench.clock.pass(TTL_MS);
        expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge', rate: dearer });
      });

      it('hold also for the calls of which none was known, running, over or silent, and for no other', async () => {
        await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2), job('j4', 3)]);
        const priced = await bench.claimed('r1');
        await bench.call(priced);
        await answer(priced, { ...unpriced, costNanoUsd: 7 });
        const over = await bench.claimed('r1');
        await bench.call(over);
        await bench.finish(finishOf(await answer(over, unpriced)));
        await hearNothing(await bench.claimed('r1'));
        const running = await bench.claimed('r1');
        await bench.markWritten('r1');
        expect(await cost()).toMatchObject({ spentNanoUsd: 7, reservedNanoUsd: 0, uncertainNanoUsd: 0, unpricedCalls: 1 });
        await bench.plan('r1', [], PRICED);
        const known = { spentNanoUsd: 7 + BY_RATE, reservedNanoUsd: WORST, uncertainNanoUsd: WORST, unpricedCalls: 0 };
        expect(await cost()).toMatchObject({ ...known, uncertainUnpricedCalls: 0 });
        expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map(({ jobId }) => jobId)).toContain('j2');
        await bench.plan('r1', [], { settings: settings({ rates: { model: dearer } }) });
        expect(await cost()).toMatchObject(known);
        // Its worker began without a price.
        await bench.call(running);
        await answer(running, unpriced);
        expect(await cost()).toMatchObject({ spentNanoUsd: 7 + BY_RATE + 10 * BY_RATE, reservedNanoUsd: 0, unpricedCalls: 0 });
      });
    });

    it('a call costs what it cost its own run, whoever judges its answer, and by whatever price', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')], PRICED);
      const left = await bench.claimed('r1', 'w1');
      await bench.call(left);
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')]);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r2', 'w2');
      expect(judge.work).toMatchObject({ kind: 'judge', callToken: left.token });
      const call = { state: 'settled', usage: USAGE, costNanoUsd: 9_999_999 } as const;
      await bench.store.settle(judge.token, { kind: 'answered', callToken: left.token, answer: {}, repaired: false, call });
      expect(await cost()).toMatchObject({ spentNanoUsd: 100 * 1000 + 30 * 2000, unpricedCalls: 0 });
      expect(await cost('r2')).toMatchObject({ spentNanoUsd: 0, unpricedCalls: 0 });
    });

    describe('an answer that comes late', () => {
      const late = async (reportedCostUsd: number, rates: RunSettings['rates'], usage: Usage | null = USAGE) => {
        await bench.plan('r1', [job('j1', 0)], { settings: settings({ rates }) });
        const claim = await bench.claimed('r1', 'w1');
        await bench.store.markSent(claim.token);
        bench.clock.pass(TTL_MS);
        await bench.claim('r1', 'w2');
        await bench.store.recordResponse(claim.token, { ...completion(), usage, reportedCostUsd });
        return await cost();
      };

      it('costs what its provider says, where the manifest states no price', async () => {
        expect(await late(0.5, {})).toMatchObject({ spentNanoUsd: 500_000_000, uncertainCalls: 0 });
      });

      it('costs what its provider says, where the price is only listed', async () => {
        const listed = { ...RATE, price: { ...RATE.price, listed: true as const } };
        expect(await late(0.5, { model: listed })).toMatchObject({ spentNanoUsd: 500_000_000 });
      });

      it('costs what the manifest states, whatever its provider says', async () => {
        expect(await late(0.5, { model: RATE })).toMatchObject({ spentNanoUsd: 100 * 1000 + 30 * 2000 });
      });

      it('costs what its provider says, though that counts no tokens', async () => {
        expect(await late(0.5, { model: RATE }, null)).toMatchObject({ spentNanoUsd: 500_000_000, uncertainCalls: 0 });
      });
    });

    describe('amounts that cannot be', () => {
      const MOST = 1e13;

      it.each([1e30, Number.POSITIVE_INFINITY])('%d reported keep no lease from being taken back, nor work from going on', async (usd) => {
        await bench.plan('r1', [job('j1', 0), job('j2', 1)]);
        const dead = await bench.claimed('r1', 'w1');
        await bench.store.markSent(dead.token);
        await bench.store.recordResponse(dead.token, { ...completion(), reportedCostUsd: usd });
        bench.clock.pass(TTL_MS);
        expect((await bench.claimed('r1', 'w2')).work.kind).toBe('judge');
        expect(['judge', 'call']).toContain((await bench.claimed('r1', 'w3')).work.kind);
        // JSON has no infinity, so that what was stored of it says nothing.
        expect((await cost()).spentNanoUsd).toBe(Number.isFinite(usd) ? MOST : null);
      });

      it.each([1e30, Number.POSITIVE_INFINITY, Number.NaN])('%d tokens are no reason to refuse an answer', async (output) => {
        await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)], PRICED);
        const usage = { ...USAGE, uncachedInput: output, output };
        const dead = await bench.claimed('r1', 'w1');
        await bench.store.markSent(dead.token);
        await bench.store.recordResponse(dead.token, { ...completion(), usage, latencyMs: 1e30 });
        bench.clock.pass(TTL_MS);
        expect((await bench.claim('r1', 'w2')).kind).toBe('claimed');
        const claim = await bench.claimed('r1', 'w3');
        await bench.store.markSent(claim.token);
        const call: CallOutcome = { state: 'settled', usage, costNanoUsd: 1e30, timing: { latencyMs: 1e30, firstTokenMs: 1e30 } };
        const settled = await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: failure(), call });
        expect(settled.applied).toBe(true);
        expect((await bench.claim('r1', 'w1')).kind).toBe('claimed');
        expect((await cost()).spentNanoUsd).toBeGreaterThanOrEqual(MOST);
      });
    });

    it('unknown calls are settled at their worst, once; those without one are left', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2, { model: 'other' })], PRICED);
      for (let i = 0; i < 3; i += 1) await hearNothing(await bench.claimed('r1'));
      await bench.store.finishRun('r1');
      await bench.markWritten('r1');
      expect(await bench.store.runsWithoutSummary()).toEqual([]);
      expect(await settleUnknown('worst')).toEqual({ calls: 2, nanoUsd: 2 * WORST, atWorst: 0, unpriced: 1 });
      expect(await settleUnknown('worst')).toEqual({ calls: 0, nanoUsd: 0, atWorst: 0, unpriced: 1 });
      expect(await cost()).toEqual({
        spentNanoUsd: 2 * WORST,
        reservedNanoUsd: 0,
        uncertainNanoUsd: 0,
        unpricedCalls: 0,
        uncertainCalls: 1,
        uncertainUnpricedCalls: 1,
      });
      expect((await bench.row('r1', 'j1')).costNanoUsd).toBe(WORST);
      expect((await bench.store.runsWithoutSummary()).map((run) => run.runId)).toEqual(['r1']);
      expect((await bench.store.jobsWithoutArtifacts('r1', 10)).map((row) => row.jobId)).toEqual(['j1', 'j2']);
      expect(await settleUnknown('zero')).toEqual({ calls: 1, nanoUsd: 0, atWorst: 0, unpriced: 0 });
      expect(await cost()).toMatchObject({ spentNanoUsd: 2 * WORST, uncertainCalls: 0, uncertainUnpricedCalls: 0 });
    });

    it('expected is what answered calls of the model cost on average: in the run, else in the store, else the worst', async () => {
      await bench.plan(
        'r1',
        [job('j1', 0), job('j2', 1), job('j3', 2), job('j4', 3), job('j5', 4), job('j6', 5, { model: 'other' })],
        PRICED,
      );
      const priced = { ...PAID, costNanoUsd: 5001 };
      await bench.complete(await bench.claimed('r1'));
      const second = await bench.claimed('r1');
      await bench.call(second);
      const answered = { kind: 'answered', callToken: second.token, answer: {}, repaired: false, call: priced } as const;
      await bench.store.settle(second.token, answered);
      const refused = await bench.claimed('r1');
      await bench.store.markSent(refused.token);
      const bad = failure({ class: 'permanent', reason: 'bad_request' });
      await bench.store.settle(refused.token, { kind: 'failed', callToken: refused.token, failure: bad, call: FREE_ERROR });
      await hearNothing(await bench.claimed('r1'), { ...UNKNOWN, usage: USAGE });
      expect(await settleUnknown('zero')).toEqual({ calls: 1, nanoUsd: 0, atWorst: 0, unpriced: 0 });
      for (let i = 0; i < 2; i += 1) await hearNothing(await bench.claimed('r1'));
      // Half a nano-USD is rounded up; nothing is known of the other model.
      expect(await settleUnknown('expected')).toEqual({ calls: 1, nanoUsd: 5001, atWorst: 0, unpriced: 1 });

      await bench.plan('r2', [jobOfKey('j1', 0, 'k1'), jobOfKey('j2', 1, 'k2', { model: 'fresh' })], {
        settings: settings({ rates: { ...PRICED.settings.rates, fresh: RATE } }),
      });
      for (let i = 0; i < 2; i += 1) await hearNothing(await bench.claimed('r2'));
      expect(await settleUnknown('expected', 'r2')).toEqual({ calls: 2, nanoUsd: 5001 + WORST, atWorst: 1, unpriced: 0 });
    });

    it('no estimate is more than the call can have cost or used', async () => {
      await bench.plan('r1', [job('j1', 0), job('j2', 1)], PRICED);
      const usage = { ...USAGE, output: 1_000_000 };
      const dear = await bench.claimed('r1');
      await bench.call(dear);
      const call = { state: 'settled', usage, costNanoUsd: 50 * WORST } as const;
      await bench.store.settle(dear.token, { kind: 'answered', callToken: dear.token, answer: {}, repaired: false, call });
      await hearNothing(await bench.claimed('r1'));
      expect(await settleUnknown('expected')).toEqual({ calls: 1, nanoUsd: WORST, atWorst: 0, unpriced: 0 });
    });

    it('an estimate stays while nobody knows better', async () => {
      await bench.plan('r1', [job('j1', 0)]);
      const lost = await bench.claimed('r1', 'w1');
      await bench.store.markSent(lost.token);
      bench.clock.pass(TTL_MS);
      await bench.claimed('r1', 'w2');
      await settleUnknown('zero');
      const call = { state: 'settled', usage: null, costNanoUsd: null } as const;
      await bench.store.settle(lost.token, { kind: 'failed', callToken: lost.token, failure: failure(), call });
      expect(await cost()).toMatchObject({ spentNanoUsd: 0, unpricedCalls: 0, uncertainCalls: 0 });
    });

    it('what a call did cost replaces the estimate, whenever it comes', async () => {
      await bench.plan('r1', [job('j1', 0)], PRICED);
      const lost = await bench.claimed('r1', 'w1');
      await bench.store.markSent(lost.token);
      bench.clock.pass(TTL_MS);
      const again = await bench.claimed('r1', 'w2');
      await bench.markWritten('r1');
      await settleUnknown('worst');
      expect((await bench.run('r1')).summaryAtMs).toBeNull();
      await bench.complete(again);
      await bench.store.finishRun('r1');
      await bench.markWritten('r1');
      expect(await cost()).toMatchObject({ spentNanoUsd: WORST + 5000 });
      // That its outcome is unknown is no news.
      const silence = { kind: 'failed', callToken: lost.token, failure: failure(), call: UNKNOWN } as const;
      expect(await bench.store.settle(lost.token, silence)).toEqual({ applied: false });
      expect(await cost()).toMatchObject({ spentNanoUsd: WORST + 5000, uncertainCalls: 0 });
      bench.clock.pass(1000);
      expect(await bench.accept(lost)).toEqual({ applied: false });
      expect(await cost()).toMatchObject({ spentNanoUsd: 10_000, uncertainCalls: 0 });
      expect((await bench.store.runsWithoutSummary()).map((run) => run.runId)).toEqual(['r1']);
      // And what is known stays.
      bench.clock.pass(1000);
      const other = { kind: 'failed', callToken: lost.token, failure: failure(), call: FREE_ERROR } as const;
      expect(await bench.store.settle(lost.token, other)).toEqual({ applied: false });
      const calls = (await bench.store.jobRecord('r1', 'j1'))?.calls.map(({ costNanoUsd, settledAtMs }) => [costNanoUsd, settledAtMs]);
      expect(calls).toEqual([
        [5000, START_MS + TTL_MS + 1000],
        [5000, START_MS + TTL_MS],
      ]);
    });

    it('an estimate gives way to the outcome of the stored answer, when that is judged', async () => {
      await bench.plan('r1', [job('j1', 0)], PRICED);
      const lost = await bench.claimed('r1', 'w1');
      await bench.call(lost);
      bench.clock.pass(TTL_MS);
      const judge = await bench.claimed('r1', 'w2');
      expect(judge.work.kind).toBe('judge');
      await settleUnknown('worst');
      await bench.accept(judge, { findings: [] }, lost.token);
      expect(await cost()).toMatchObject({ spentNanoUsd: 5000, uncertainCalls: 0 });
    });
  });
}
