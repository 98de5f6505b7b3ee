import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../src/domain/budget.ts';
import { nanoUsdOf } from '../../src/domain/money.ts';
import type { RunSettings } from '../../src/domain/run.ts';
import type { CallOutcome, Claim, ClaimReply } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals, finishOf } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { failure, job, jobOfKey, lane, MANIFEST, newRun, settings, step, TTL_MS, USAGE } from './rows.ts';

/** What a run, or a group of runs, may spend: never exceeded, whoever claims, and nothing that costs nothing is held up. */
export function budgetContract(name: string, open: OpenStore): void {
  describe(`${name}: budget`, () => {
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
    /** The most that one call of `step` may cost, in nano-USD, and use. */
    const WORST = 100 * 1000 + 1000 * 2000;
    const WORST_TOKENS = 1100;
    /** What its answer costs and uses in the end. */
    const COST = 500_000;
    const PAID: CallOutcome = { state: 'settled', usage: USAGE, costNanoUsd: COST };
    const USED_TOKENS = 130;
    const UNKNOWN: CallOutcome = { state: 'unknown', usage: null, costNanoUsd: null };

    const jobs = (count: number) => Array.from({ length: count }, (_, seq) => job(`j${seq}`, seq));
    const budget = (changes: Partial<Budget>): Budget => ({
      nanoUsd: null,
      tokens: null,
      activeMs: null,
      warnAt: 0.8,
      group: null,
      ...changes,
    });
    const within = (changes: Partial<Budget>, more: Partial<RunSettings> = {}) => ({
      settings: settings({ rates: { model: RATE, free: { price: 'free', maxOutputTokens: null } }, budget: budget(changes), ...more }),
    });
    const whys = (reply: ClaimReply): string[] => (reply.kind === 'blocked' ? reply.blockedBy.map(({ why }) => why) : [reply.kind]);

    async function used(runId = 'r1'): Promise<number> {
      const { cost } = await bench.store.runTotals(runId);
      return (cost.spentNanoUsd ?? 0) + cost.reservedNanoUsd + cost.uncertainNanoUsd;
    }

    async function answer(claim: Claim, call: CallOutcome = PAID): Promise<void> {
      await bench.call(claim);
      await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
    }

    async function hearNothing(claim: Claim): Promise<void> {
      await bench.store.markSent(claim.token);
      const silence = failure({ class: 'permanent', reason: 'timeout' });
      await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: silence, call: UNKNOWN });
    }

    it('fifty claims over two handles on a budget for three calls get three, and no more than it covers is ever spent', {
      timeout: 120_000,
    }, async () => {
      const limit = 3 * WORST;
      await bench.plan('r1', jobs(50), within({ nanoUsd: limit }));
      const other = new Bench(await opened.another(), bench.clock);
      const claimAll = () =>
        Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? bench : other).claim('r1', `w${(i % 3) + 1}`)));
      let paid = 0;
      for (;;) {
        const replies = await claimAll();
        const claims = replies.flatMap((reply) => (reply.kind === 'claimed' && reply.claim.work.kind === 'call' ? [reply.claim] : []));
        expect(await used()).toBeLessThanOrEqual(limit);
        expect(claims.length).toBe(Math.floor((limit - paid * COST) / WORST));
        if (claims.length === 0) break;
        expect(replies.filter((reply) => reply.kind === 'blocked').every((reply) => whys(reply).includes('budget_usd'))).toBe(true);
        for (const claim of claims) await answer(claim);
        paid += claims.length;
        expect(await used()).toBeLessThanOrEqual(limit);
      }
      expect(await bench.claim('r1')).toMatchObject({ kind: 'blocked', blockedBy: [{ why: 'budget_usd', laneId: null, untilMs: null }] });
      expect((await bench.store.runTotals('r1')).cost).toMatchObject({
        reservedNanoUsd: 0,
        uncertainNanoUsd: 0,
        spentNanoUsd: paid * COST,
      });
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ nanoUsd: paid * COST, inFlight: false });
    });

    describe('a bound in USD that a start stated', () => {
      const stated = (usd: number | null, ofStart = true) => ({
        manifest: {
          ...MANIFEST,
          budget:
            usd === null
              ? null
              : { usd, tokens: null, minutes: null, warnAt: 0.8, group: null, ...(ofStart ? { ofStart: true as const } : {}) },
        },
        settings: settings({ budget: usd === null ? null : budget({ nanoUsd: nanoUsdOf(usd) }) }),
      });
      const joined = async (change: ReturnType<typeof stated>) => {
        const { run } = await bench.store.openRun(newRun('again', { identity: 'same', ...change }));
        return { usd: run.manifest.budget?.usd ?? null, nanoUsd: run.settings.budget?.nanoUsd ?? null };
      };

      it('stays with its run when somebody joins without one, and gives way to another', async () => {
        await bench.store.openRun(newRun('r1', { identity: 'same', ...stated(2) }));
        expect(await joined(stated(null))).toEqual({ usd: 2, nanoUsd: nanoUsdOf(2) });
        expect(await joined(stated(5, false))).toEqual({ usd: 2, nanoUsd: nanoUsdOf(2) });
        expect(await joined(stated(3))).toEqual({ usd: 3, nanoUsd: nanoUsdOf(3) });
        expect(await joined(stated(null))).toEqual({ usd: 3, nanoUsd: nanoUsdOf(3) });
      });

      it('one of the manifest goes with the manifest', async () => {
        await bench.store.openRun(newRun('r1', { identity: 'same', ...stated(2, false) }));
        expect(await joined(stated(5, false))).toEqual({ usd: 5, nanoUsd: nanoUsdOf(5) });
        expect(await joined(stated(null))).toEqual({ usd: null, nanoUsd: null });
      });

      it('a start that joins a paused run, and will be refused, changes nothing', async () => {
        await bench.store.openRun(newRun('r1', { identity: 'same', ...stated(2, false) }));
        await bench.store.pauseRun('r1');
        expect(await joined(stated(3))).toEqual({ usd: 2, nanoUsd: nanoUsdOf(2) });
      });
    });

    it('while calls are in flight a spent budget may still give something back, so it is looked at again', async () => {
      await bench.plan('r1', jobs(2), within({ nanoUsd: WORST }));
      const claim = await bench.claimed('r1');
      const reply = await bench.claim('r1');
      expect(reply).toMatchObject({ blockedBy: [{ why: 'budget_usd' }] });
      expect(reply.kind === 'blocked' && reply.blockedBy[0]?.untilMs).toBe(bench.clock.nowMs + 1000);
      await bench.store.settle(claim.token, { kind: 'handed_back' });
      expect((await bench.claim('r1')).kind).toBe('claimed');
    });

    it('a call whose outcome nobody knows stays reserved until a person settles it', async () => {
      await bench.plan('r1', jobs(2), within({ nanoUsd: WORST, tokens: WORST_TOKENS }));
      await hearNothing(await bench.claimed('r1'));
      bench.clock.pass(3_600_000);
      expect(await bench.claim('r1')).toMatchObject({ blockedBy: [{ why: 'budget_tokens', untilMs: null }] });
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ nanoUsd: WORST, tokens: WORST_TOKENS });
      await bench.store.settleUnknown('r1', 'worst');
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ nanoUsd: WORST, tokens: WORST_TOKENS });
      expect((await bench.claim('r1')).kind).toBe('blocked');
    });

    it('a call that a person settled as nothing is given back', async () => {
      await bench.plan('r1', jobs(2), within({ nanoUsd: WORST, tokens: WORST_TOKENS }));
      await hearNothing(await bench.claimed('r1'));
      await bench.store.settleUnknown('r1', 'zero');
      expect((await bench.claim('r1')).kind).toBe('claimed');
    });

    it('a call that died with its worker counts at its worst', async () => {
      await bench.plan('r1', jobs(2), within({ nanoUsd: 2 * WORST }));
      await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
      bench.clock.pass(TTL_MS);
      await bench.claimed('r1', 'w2');
      expect(whys(await bench.claim('r1', 'w3'))).toEqual(['budget_usd']);
      expect(await used()).toBe(2 * WORST);
    });

    it('tokens count as they were used, and at their worst until that is known', async () => {
      await bench.plan('r1', jobs(4), within({ tokens: USED_TOKENS + WORST_TOKENS }));
      await answer(await bench.claimed('r1'));
      const second = await bench.claimed('r1');
      expect(whys(await bench.claim('r1'))).toEqual(['budget_tokens']);
      await answer(second);
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ tokens: 2 * USED_TOKENS });
      expect(whys(await bench.claim('r1'))).toEqual(['budget_tokens']);
    });

    it('an answer of which nobody says what it used or cost counts at its worst', async () => {
      await bench.plan('r1', jobs(3), within({ nanoUsd: WORST + COST, tokens: WORST_TOKENS + USED_TOKENS }));
      await answer(await bench.claimed('r1'), { state: 'settled', usage: null, costNanoUsd: null });
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ nanoUsd: WORST, tokens: WORST_TOKENS });
      expect(whys(await bench.claim('r1'))).toEqual(['budget_tokens']);
    });

    it('a free model that counts no tokens uses the most that it may; one that refuses uses none', async () => {
      const free = (seq: number) => jobOfKey(`f${seq}`, seq, `f${seq}`, { model: 'free' });
      await bench.plan('r1', [free(0), free(1), free(2)], within({ tokens: 5000 }));
      const timing = { latencyMs: 900, firstTokenMs: 300 };
      await answer(await bench.claimed('r1'), { state: 'settled', usage: null, costNanoUsd: 0, timing });
      await bench.fail(await bench.claimed('r1'), failure({ class: 'permanent', reason: 'bad_request' }));
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ tokens: 100 + 1024 });
    });

    describe('tokens of a call that a person settled', () => {
      it.each([
        ['zero', 0],
        ['expected', USED_TOKENS],
        ['worst', WORST_TOKENS],
      ] as const)('at %s are %d, whether it costs or not', async (at, tokens) => {
        for (const model of ['model', 'free']) {
          const own = [0, 1].map((seq) => jobOfKey(`${model}${seq}`, seq, `${model}${seq}`, { model }));
          const rates = { model: RATE, free: { price: 'free' as const, maxOutputTokens: 1000 } };
          await bench.plan(model, own, within({ tokens: 5000 }, { rates }));
          await answer(await bench.claimed(model), model === 'free' ? { ...PAID, costNanoUsd: 0 } : PAID);
          await hearNothing(await bench.claimed(model));
          expect((await bench.store.runTotals(model)).budget).toMatchObject({ tokens: USED_TOKENS + WORST_TOKENS });
          await bench.store.settleUnknown(model, at);
          expect((await bench.store.runTotals(model)).budget).toMatchObject({ tokens: USED_TOKENS + tokens });
        }
      });

      it('are never more than it may have used', async () => {
        await bench.plan('r1', jobs(2), within({ tokens: 5_000_000 }));
        const used = { ...USAGE, output: 1_000_000 };
        await answer(await bench.claimed('r1'), { ...PAID, usage: used });
        await hearNothing(await bench.claimed('r1'));
        await bench.store.settleUnknown('r1', 'expected');
        expect((await bench.store.runTotals('r1')).budget).toMatchObject({ tokens: 1_000_100 + WORST_TOKENS });
      });
    });

    it('calls that were made before their price was known count once it is', async () => {
      await bench.plan('r1', jobs(4), within({}, { rates: {} }));
      for (let i = 0; i < 2; i += 1) await answer(await bench.claimed('r1'), { ...PAID, costNanoUsd: null });
      const byRate = 100 * 1000 + 30 * 2000;
      await bench.store.openRun(newRun('again', { identity: 'identity of r1', ...within({ nanoUsd: 2 * byRate + WORST - 1 }) }));
      expect(whys(await bench.claim('r1'))).toEqual(['budget_usd']);
      expect((await bench.store.runTotals('r1')).budget).toMatchObject({ nanoUsd: 2 * byRate });
      await bench.store.openRun(newRun('again', { identity: 'identity of r1', ...within({ nanoUsd: 2 * byRate + WORST }) }));
      expect((await bench.claim('r1')).kind).toBe('claimed');
    });

    describe('what is free goes on behind what nobody can pay for', () => {
      const mixed = [...jobs(3), jobOfKey('f0', 3, 'f0', { model: 'free' }), jobOfKey('f1', 4, 'f1', { model: 'free' })];

      it.each([
        ['a run', 'budget_usd', { nanoUsd: WORST - 1 }],
        ['a group', 'budget_group', { group: { name: 'team', nanoUsd: WORST - 1, per: 'total' } }],
      ] as const)('of %s', async (_of, why, bound) => {
        await bench.plan('r1', mixed, within(bound));
        expect([(await bench.claimed('r1')).job.jobId, (await bench.claimed('r1', 'w2')).job.jobId]).toEqual(['f0', 'f1']);
        expect(whys(await bench.claim('r1', 'w3'))).toEqual([why]);
      });

      it('but not where its own tokens are spent', async () => {
        await bench.plan('r1', mixed, within({ nanoUsd: WORST - 1, tokens: 1124 }));
        expect((await bench.claimed('r1')).job.jobId).toBe('f0');
        expect((await bench.claim('r1', 'w2')).kind).toBe('blocked');
      });
    });

    it('a budget in money sends nothing whose price is unknown, and what is free', async () => {
      const other = (model: string) => jobOfKey(model, 1, `key of ${model}`, { model });
      await bench.plan('r1', [other('unheard-of')], within({ nanoUsd: 1_000 * WORST }));
      expect(whys(await bench.claim('r1'))).toEqual(['budget_usd']);
      await bench.plan('r2', [other('free')], within({ nanoUsd: 0 }));
      expect((await bench.claim('r2')).kind).toBe('claimed');
    });

    it('what needs no call goes on when all is spent: hits, stored answers, checks', async () => {
      await bench.plan('r1', [jobOfKey('j0', 0, 'k')]);
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [jobOfKey('x0', 0, 'k'), job('x1', 1), job('x2', 2)], within({ nanoUsd: WORST }));
      const hit = await bench.claimed('r2');
      await bench.finish(hit);
      await bench.call(await bench.claimed('r2', 'w2'));
      bench.clock.pass(TTL_MS);
      expect((await bench.claimed('r2', 'w3')).work.kind).toBe('judge');
      expect(whys(await bench.claim('r2', 'w3'))).toEqual(['budget_usd']);
    });

    it('answers that may be used since the run was started again need no budget', async () => {
      await bench.plan('r1', [jobOfKey('j1', 0, 'k')]);
      await bench.complete(await bench.claimed('r1'));
      await bench.plan('r2', [jobOfKey('j1', 0, 'k')], within({ nanoUsd: 1 }, { cacheMode: 'off' }));
      expect(whys(await bench.claim('r2'))).toEqual(['budget_usd']);
      expect(await bench.store.openCalls('r2')).toEqual([{ model: 'model', calls: 1, maxInputTokens: 100, largestInputTokens: 100 }]);
      await bench.store.openRun(newRun('again', { identity: 'identity of r2', ...within({ nanoUsd: 1 }) }));
      expect(await bench.store.openCalls('r2')).toEqual([]);
      expect((await bench.claimed('r2')).work.kind).toBe('finish');
    });

    it('over several lanes it is one entry, and a run that is started with more goes on', async () => {
      const lanes = [lane(), lane({ laneId: 'lane-2' })];
      const there = job('x', 1, { steps: [step('x', { laneId: 'lane-2' })] });
      await bench.plan('r1', [job('j0', 0), there], { lanes, ...within({ nanoUsd: WORST - 1 }) });
      expect(await bench.claim('r1')).toMatchObject({ blockedBy: [{ why: 'budget_usd', count: 2, untilMs: null }] });
      await bench.store.openRun(newRun('again', { identity: 'identity of r1', lanes, ...within({ nanoUsd: WORST }) }));
      expect((await bench.claim('r1')).kind).toBe('claimed');
    });

    describe('minutes', () => {
      it('count while a call is in flight, and not while nobody works on the run', async () => {
        await bench.plan('r1', jobs(9), within({ activeMs: 60_000 }));
        const first = await bench.claimed('r1');
        bench.clock.pass(20_000);
        await bench.complete(first);
        bench.clock.pass(8 * 3_600_000);
        const second = await bench.claimed('r1');
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(20_000);
        bench.clock.pass(40_000);
        expect(whys(await bench.claim('r1'))).toEqual(['budget_minutes']);
        await answer(second);
        expect(await bench.claim('r1')).toMatchObject({ blockedBy: [{ why: 'budget_minutes', untilMs: null }] });
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(60_000);
      });

      it('count no time in which nothing could be asked, however often somebody looks', async () => {
        await bench.plan('r1', jobs(9), within({ activeMs: 60_000, nanoUsd: 2 * WORST }));
        const claim = await bench.claimed('r1');
        await bench.call(claim);
        const call = { ...PAID, costNanoUsd: 2 * WORST };
        const paid = { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call } as const;
        await bench.finish(finishOf(await bench.store.settle(claim.token, paid)));
        for (let i = 0; i < 100; i += 1) {
          bench.clock.pass(1000);
          expect(whys(await bench.claim('r1', 'w2'))).toEqual(['budget_usd']);
        }
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(0);
      });

      it('count from a grant, not from what was seen before it, whatever the work is', async () => {
        await bench.plan('r1', [job('j0', 0)]);
        const dead = await bench.claimed('r1');
        await bench.call(dead);
        bench.clock.pass(8 * 3_600_000);
        const judge = await bench.claimed('r1', 'w2');
        expect(judge.work.kind).toBe('judge');
        bench.clock.pass(5000);
        await bench.accept(judge, {}, dead.token);
        await bench.store.openRun(newRun('again', { identity: 'identity of r1', ...within({ activeMs: 60_000 }) }));
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(5000);
      });

      it('two workers at once are no more than the time that passes', async () => {
        await bench.plan('r1', jobs(9), within({ activeMs: 60_000 }));
        const claims = [await bench.claimed('r1', 'w1'), await bench.claimed('r1', 'w2')];
        bench.clock.pass(10_000);
        for (const claim of claims) await answer(claim);
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(10_000);
      });

      it('a clock that is set back takes none of them', async () => {
        await bench.plan('r1', jobs(9), within({ activeMs: 60_000 }));
        const claim = await bench.claimed('r1');
        bench.clock.pass(10_000);
        await answer(claim);
        bench.clock.pass(-3_600_000);
        await bench.claimed('r1');
        expect((await bench.store.runTotals('r1')).budget?.activeMs).toBe(10_000);
      });
    });

    describe('a group', () => {
      const group = (nanoUsd: number, per: 'month' | 'total' = 'month') => within({ group: { name: 'team', nanoUsd, per } });
      const december = Date.UTC(2026, 11, 31, 23, 59, 0);

      it('bounds what several runs spend together', async () => {
        await bench.plan('r1', jobs(3), group(2 * WORST));
        await bench.plan('r2', [jobOfKey('x', 0, 'x'), jobOfKey('y', 1, 'y')], group(2 * WORST));
        const first = await bench.claimed('r1');
        const second = await bench.claimed('r2');
        for (const run of ['r1', 'r2']) expect(whys(await bench.claim(run))).toEqual(['budget_group']);
        await answer(first);
        expect(whys(await bench.claim('r2'))).toEqual(['budget_group']);
        await bench.store.settle(second.token, { kind: 'handed_back' });
        expect((await bench.claim('r2')).kind).toBe('claimed');
        expect(await bench.store.budgetGroups()).toMatchObject([{ group: 'team', spentNanoUsd: COST, reservedNanoUsd: WORST }]);
      });

      it('by month begins anew with each, though what is in flight stays with its own', async () => {
        bench.clock.nowMs = december;
        await bench.plan('r1', jobs(3), group(WORST));
        const old = await bench.claimed('r1');
        expect(whys(await bench.claim('r1'))).toEqual(['budget_group']);
        bench.clock.pass(60_000);
        await bench.claimed('r1');
        await answer(old);
        expect(await bench.store.budgetGroups()).toEqual([
          { group: 'team', month: '2027-01', spentNanoUsd: 0, reservedNanoUsd: WORST, uncertainNanoUsd: 0 },
          { group: 'team', month: '2026-12', spentNanoUsd: COST, reservedNanoUsd: 0, uncertainNanoUsd: 0 },
        ]);
      });

      it('in all goes on over the months', async () => {
        bench.clock.nowMs = december;
        await bench.plan('r1', jobs(3), group(WORST, 'total'));
        await answer(await bench.claimed('r1'));
        bench.clock.pass(60_000);
        expect(whys(await bench.claim('r1'))).toEqual(['budget_group']);
      });

      it('keeps what was spent when a run is removed', async () => {
        await bench.plan('r1', jobs(2), group(9 * WORST));
        await answer(await bench.claimed('r1'));
        await hearNothing(await bench.claimed('r1'));
        await bench.store.cancelRun('r1');
        for (let reply = await bench.claim('r1'); reply.kind === 'claimed'; reply = await bench.claim('r1'))
          await bench.finish(reply.claim);
        bench.clock.pass(TTL_MS);
        await bench.store.cancelRun('r1');
        for (let reply = await bench.claim('r1'); reply.kind === 'claimed'; reply = await bench.claim('r1'))
          await bench.finish(reply.claim);
        expect(await bench.store.budgetGroups()).toMatchObject([{ spentNanoUsd: COST, uncertainNanoUsd: WORST }]);
        await bench.store.pruneRun('r1');
        // Nobody can settle that call any more.
        expect(await bench.store.budgetGroups()).toMatchObject([{ spentNanoUsd: COST + WORST, reservedNanoUsd: 0, uncertainNanoUsd: 0 }]);
      });

      it('that is reset has spent nothing; what is in flight or uncertain still counts', async () => {
        await bench.plan('r1', jobs(9), group(3 * WORST));
        await answer(await bench.claimed('r1'));
        await hearNothing(await bench.claimed('r1'));
        const open = await bench.claimed('r1');
        expect(whys(await bench.claim('r1'))).toEqual(['budget_group']);
        expect(await bench.store.resetBudgetGroup('team')).toBe(true);
        expect(await bench.store.budgetGroups()).toMatchObject([{ spentNanoUsd: 0, reservedNanoUsd: WORST, uncertainNanoUsd: WORST }]);
        expect((await bench.claim('r1')).kind).toBe('claimed');
        await answer(open);
        expect(await bench.store.budgetGroups()).toMatchObject([{ spentNanoUsd: COST }]);
      });

      it('that is reset owes nothing to an estimate of before, whatever the call cost in truth', async () => {
        await bench.plan('r1', jobs(9), group(9 * WORST));
        const silent = await bench.claimed('r1', 'w1');
        await bench.store.markSent(silent.token);
        bench.clock.pass(TTL_MS);
        await bench.claim('r1', 'w2');
        await bench.store.settleUnknown('r1', 'worst');
        await bench.store.resetBudgetGroup('team');
        const call: CallOutcome = { state: 'settled', usage: USAGE, costNanoUsd: 1 };
        await bench.store.settle(silent.token, { kind: 'answered', callToken: silent.token, answer: {}, repaired: false, call });
        expect(await bench.store.budgetGroups()).toMatchObject([{ spentNanoUsd: 0, uncertainNanoUsd: 0 }]);
      });

      it('is known as soon as a run names it, and not before', async () => {
        expect(await bench.store.resetBudgetGroup('team')).toBe(false);
        await bench.plan('r1', jobs(1), group(WORST));
        expect(await bench.store.budgetGroups()).toMatchObject([{ group: 'team', spentNanoUsd: 0 }]);
        expect(await bench.store.resetBudgetGroup('team')).toBe(true);
      });
    });

    describe('fail fast', () => {
      const BAD = failure({ class: 'permanent', reason: 'bad_request' });
      const failing = settings({ failFast: { afterFailures: 2 } });

      it('asks nothing more once so many jobs failed; what runs is kept', async () => {
        await bench.plan('r1', jobs(6), { settings: failing });
        const kept = await bench.claimed('r1');
        await bench.fail(await bench.claimed('r1'), BAD);
        await bench.fail(await bench.claimed('r1'), BAD);
        expect(await bench.claim('r1')).toMatchObject({
          blockedBy: [{ why: 'fail_fast', laneId: null, count: 3, untilMs: null, message: '2 jobs could not be evaluated' }],
        });
        await bench.complete(kept);
        expect((await bench.states('r1')).filter((state) => state === 'succeeded')).toHaveLength(1);
        expect(whys(await bench.claim('r1'))).toEqual(['fail_fast']);
      });

      it('counts jobs that were asked, from when a person last started the run', async () => {
        const unread = job('unread', 9, { textSha256: null, steps: [], failure: { reason: 'document_broken', message: 'no' } });
        await bench.plan('r1', [...jobs(8), unread], { settings: failing });
        await bench.fail(await bench.claimed('r1'), BAD);
        expect((await bench.claim('r1')).kind).toBe('claimed');
        await bench.store.openRun(newRun('again', { identity: 'identity of r1', settings: failing }));
        await bench.fail(await bench.claimed('r1'), BAD);
        const [third, fourth] = [await bench.claimed('r1'), await bench.claimed('r1')];
        await bench.fail(third, BAD);
        expect(whys(await bench.claim('r1'))).toEqual(['fail_fast']);
        await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
        expect((await bench.claim('r1')).kind).toBe('claimed');
        await bench.complete(fourth);
      });
    });
  });
}
