import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Usage } from '../../src/domain/money.ts';
import type { Failure } from '../../src/domain/reason.ts';
import type { CallOutcome, Claim, ClaimReply } from '../../src/store/work.ts';
import { Bench, Clock, expectTrueTotals } from './bench.ts';
import type { OpenedStore, OpenStore } from './contract.ts';
import { completion, failure, job, jobOfKey, LANE, lane, newRun, PAID, RETRY, settings, step, TTL_MS, USAGE } from './rows.ts';

/** What a lane gives, learns and refuses, for all processes at once. The rules themselves are examined with their functions. */
export function pacingContract(name: string, open: OpenStore): void {
  describe(`${name}: pacing`, () => {
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

    const jobs = (count: number) => Array.from({ length: count }, (_, seq) => job(`j${seq}`, seq));
    const whys = (reply: ClaimReply) => (reply.kind === 'blocked' ? reply.blockedBy.map(({ why }) => why) : [reply.kind]);
    const untilOf = (reply: ClaimReply) => (reply.kind === 'blocked' ? (reply.untilMs ?? 0) : 0);
    const beside = async () => new Bench(await opened.another(), bench.clock);

    async function settleSent(claim: Claim, outcome: { failure: Failure; call?: CallOutcome }): Promise<number> {
      await bench.store.markSent(claim.token);
      const call = outcome.call ?? ({ state: 'settled', usage: null, costNanoUsd: 0 } as const);
      const settled = await bench.store.settle(claim.token, { kind: 'failed', callToken: claim.token, failure: outcome.failure, call });
      return settled.applied ? (settled.retryAtMs ?? 0) : 0;
    }

    describe('rates', () => {
      it('two handles on one lane send no more than its requests per minute', async () => {
        await bench.plan('r1', jobs(6), { lanes: [lane({ requestsPerMinute: 60 })] });
        const other = await beside();
        for (const [one, next] of [
          [bench, other],
          [other, bench],
        ] as const) {
          await one.store.markSent((await one.claimed('r1', 'w1')).token);
          const reply = await next.claim('r1', 'w2');
          expect(whys(reply)).toEqual(['lane_requests']);
          expect(untilOf(reply) - bench.clock.nowMs).toBeGreaterThan(900);
          expect(untilOf(reply) - bench.clock.nowMs).toBeLessThan(1100);
          expect((await bench.store.runTotals('r1')).waiting).toMatchObject([
            { why: 'lane_requests', laneId: LANE, message: 'requestsPerMinute = 60' },
          ]);
          bench.clock.nowMs = untilOf(reply);
        }
        expect((await bench.claim('r1')).kind).toBe('claimed');
      });

      it.each([
        ['stated', 45, 'requestsPerMinute = 45'],
        ['told', 600, 'the 60 a minute that its headers allow'],
        ['told, where none is stated', null, 'the 60 a minute that its headers allow'],
      ])('the limit that is waited for is the one that holds: %s', async (_title, requestsPerMinute, message) => {
        await bench.plan('r1', jobs(20), { lanes: [lane({ requestsPerMinute })] });
        const claim = await bench.claimed('r1');
        await bench.call(claim);
        const requests = { limitPerMinute: 60, remaining: 5, resetMs: 1000 };
        const call = { ...PAID, rates: { requests, tokens: null } };
        await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
        let reply = await bench.claim('r1');
        for (let claims = 0; claims < 10 && reply.kind === 'claimed'; claims += 1) reply = await bench.claim('r1');
        expect(reply).toMatchObject({ blockedBy: [{ why: 'lane_requests', message }] });
      });

      it('a run that is started again with another key goes on by the limits of that key', async () => {
        await bench.plan('r1', jobs(3));
        const held = await bench.claimed('r1');
        const changes = { identity: 'identity of r1', lanes: [lane({ laneId: 'lane-2', accountId: 'account-2', concurrency: 1 })] };
        await bench.store.openRun(newRun('r2', changes));
        await bench.claimed('r1');
        expect(whys(await bench.claim('r1'))).toEqual(['lane_concurrency']);
        expect((await bench.store.runTotals('r1')).waiting).toMatchObject([{ laneId: 'lane-2', count: 1 }]);
        await bench.complete(held);
      });

      it('of several runs at work on a lane the lowest rate holds', async () => {
        await bench.plan('r2', [job('x', 0)], { lanes: [lane({ requestsPerMinute: 60 })] });
        await bench.plan('r1', jobs(3));
        await bench.complete(await bench.claimed('r1'));
        expect(whys(await bench.claim('r1'))).toEqual(['lane_requests']);
        // Nobody works on the other run any more.
        bench.clock.pass(4 * 15_000);
        for (let i = 0; i < 2; i += 1) await bench.claimed('r1');
      });

      it('a step that is too big for the moment is not passed by smaller ones behind it', async () => {
        const big = job('big', 1, { steps: [step('big', { inputTokens: 5000, maxInputTokens: 5000 })] });
        await bench.plan('r1', [job('j0', 0), big, job('j2', 2)], { lanes: [lane({ tokensPerMinute: 60_000 })] });
        await bench.store.markSent((await bench.claimed('r1')).token);
        const reply = await bench.claim('r1');
        expect(whys(reply)).toEqual(['lane_tokens']);
        bench.clock.nowMs = untilOf(reply);
        expect((await bench.claimed('r1')).job.jobId).toBe('big');
        expect(untilOf(await bench.claim('r1')) - bench.clock.nowMs).toBeGreaterThan(5000);
      });

      it('a call that never left gives back what it took, also when its worker dies', async () => {
        await bench.plan('r1', jobs(1), { lanes: [lane({ tokensPerMinute: 60, requestsPerMinute: 1 })] });
        await bench.store.settle((await bench.claimed('r1')).token, { kind: 'handed_back' });
        await bench.claimed('r1', 'w1');
        bench.clock.pass(TTL_MS);
        expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'call', attempts: 0 });
      });

      it('a call that left and was lost gives nothing back', async () => {
        await bench.plan('r1', jobs(1), { lanes: [lane({ tokensPerMinute: 60 })] });
        await bench.store.markSent((await bench.claimed('r1', 'w1')).token);
        bench.clock.pass(TTL_MS);
        expect(whys(await bench.claim('r1', 'w2'))).toEqual(['lane_tokens']);
      });

      it.each([
        ['actual', 'claimed'],
        ['reserved', 'blocked'],
      ] as const)('counted as %s, after an answer of few tokens the next call is %s', async (tokenAccounting, kind) => {
        await bench.plan('r1', jobs(2), { lanes: [lane({ tokensPerMinute: 6000, tokenAccounting })] });
        await bench.answer(await bench.claimed('r1'));
        bench.clock.pass(3000);
        expect((await bench.claim('r1')).kind).toBe(kind);
      });

      it('what headers tell of a limit holds for every process', async () => {
        await bench.plan('r1', jobs(2));
        const claim = await bench.claimed('r1');
        await bench.call(claim);
        const requests = { limitPerMinute: 60, remaining: 0, resetMs: 30_000 };
        const call = { ...PAID, rates: { requests, tokens: null } };
        await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
        const reply = await (await beside()).claim('r1', 'w2');
        expect(untilOf(reply)).toBeGreaterThanOrEqual(bench.clock.nowMs + 30_000);
      });

      it('an answer that comes when its worker is long given up is heard of once', async () => {
        await bench.plan('r1', jobs(2), { lanes: [lane({ tokensPerMinute: 600, tokenAccounting: 'actual' })] });
        const late = await bench.claimed('r1', 'w1');
        await bench.store.markSent(late.token);
        bench.clock.pass(TTL_MS);
        expect(whys(await bench.claim('r1', 'w2'))).toEqual(['lane_tokens']);
        const before = untilOf(await bench.claim('r1', 'w2'));
        // It used 976 tokens more than it had taken, which are 98 s here.
        const usage: Usage = { ...USAGE, output: 2000 };
        await bench.store.recordResponse(late.token, { ...completion(), usage });
        const call = { state: 'settled', usage, costNanoUsd: 1 } as const;
        await bench.store.settle(late.token, { kind: 'answered', callToken: late.token, answer: {}, repaired: false, call });
        await bench.store.settle(late.token, { kind: 'handed_back' });
        // The first question is answered; the second waits for its tokens.
        expect((await bench.claimed('r1', 'w2')).work).toMatchObject({ kind: 'judge' });
        const after = (await bench.store.runTotals('r1')).waiting.find(({ why }) => why === 'lane_tokens')?.untilMs ?? 0;
        expect(after - before).toBeGreaterThan(90_000);
        expect(after - before).toBeLessThan(110_000);
      });

      it('a real server is asked with care at first, when any run that works there says that it is one', async () => {
        await bench.plan('r2', [job('x', 0)], { lanes: [lane({ adaptive: true })] });
        await bench.plan('r1', jobs(9));
        for (let i = 0; i < 4; i += 1) await bench.claimed('r1');
        expect(whys(await bench.claim('r1'))).toEqual(['lane_concurrency']);
      });
    });

    describe('pauses', () => {
      const OTHER_GROUP = lane({ laneId: 'group-2', label: 'lab/2' });
      const ELSEWHERE = lane({ laneId: 'cloud', label: 'cloud', accountId: 'account-2' });
      const onLane = (jobId: string, seq: number, laneId: string) => job(jobId, seq, { steps: [step(`key of ${jobId}`, { laneId })] });

      it('what is refused for its key rests on all lanes of that key, for every run, until a run there is started again', async () => {
        const lanes = [lane(), OTHER_GROUP, ELSEWHERE];
        await bench.plan('r1', [job('j0', 0), onLane('j1', 1, 'group-2'), onLane('j2', 2, 'cloud')], { lanes });
        await bench.plan('r2', [onLane('x', 0, 'group-2')], { lanes: [OTHER_GROUP] });
        await settleSent(await bench.claimed('r1'), { failure: failure({ class: 'fatal', reason: 'auth', message: 'refused' }) });
        expect((await bench.claimed('r1')).job.jobId).toBe('j2');
        expect(await bench.claim('r1')).toMatchObject({
          blockedBy: [
            { why: 'lane_paused', laneId: 'group-2', untilMs: null, message: 'refused' },
            { why: 'lane_paused', laneId: LANE, untilMs: null, message: 'refused' },
          ],
        });
        expect(whys(await bench.claim('r2'))).toEqual(['lane_paused']);
        await bench.store.openRun(newRun('again', { identity: 'identity of r1', lanes }));
        expect((await bench.claimed('r1')).work).toMatchObject({ kind: 'call', attempts: 0 });
        expect((await bench.claim('r2')).kind).toBe('claimed');
      });

      it('a server that wants to be left alone for longer than anyone waits is, and answers again at its time', async () => {
        await bench.plan('r1', jobs(2), { settings: settings({ retry: { ...RETRY, maxWaitMs: 10_000 } }) });
        const limited = failure({ class: 'rate', reason: 'rate_limited', message: 'come back later', retryAfterMs: 3 * 3_600_000 });
        await settleSent(await bench.claimed('r1'), { failure: limited });
        const reply = await bench.claim('r1', 'w2');
        expect(reply).toMatchObject({ blockedBy: [{ why: 'lane_paused', count: 2, message: 'come back later' }] });
        const pausedMs = reply.kind === 'blocked' ? (reply.blockedBy[0]?.untilMs ?? 0) : 0;
        expect(pausedMs).toBeGreaterThanOrEqual(bench.clock.nowMs + 3 * 3_600_000);
        bench.clock.nowMs = pausedMs - 1;
        expect((await bench.claim('r1')).kind).toBe('blocked');
        bench.clock.pass(1);
        expect((await bench.claim('r1')).kind).toBe('claimed');
      });

      it('a server that named a time is taken at its word, whoever starts what meanwhile, until a person resumes the run', async () => {
        await bench.plan('r1', jobs(2));
        const limited = failure({ class: 'rate', reason: 'rate_limited', message: 'come back later', retryAfterMs: 48 * 3_600_000 });
        await settleSent(await bench.claimed('r1'), { failure: limited });
        for (const identity of ['identity of r1', 'identity of another']) await bench.store.openRun(newRun(identity, { identity }));
        bench.clock.pass(3_600_000);
        expect(whys(await bench.claim('r1'))).toEqual(['lane_paused']);
        expect(await bench.store.resumeRun('r1')).toEqual({ changed: true });
        expect(await bench.store.resumeRun('r1')).toEqual({ changed: false });
        expect([(await bench.claimed('r1')).job.jobId, (await bench.claimed('r1')).job.jobId].sort()).toEqual(['j0', 'j1']);
      });

      it('a rest after a refusal is not ended by whoever starts what meanwhile, only by a person who resumes the run', async () => {
        await bench.plan('r1', jobs(2));
        const limited = failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 60_000 });
        await settleSent(await bench.claimed('r1'), { failure: limited });
        for (const identity of ['identity of r1', 'identity of another']) await bench.store.openRun(newRun(identity, { identity }));
        const bad = await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null });
        expect(bad).toEqual({ requeued: 0 });
        bench.clock.pass(50_000);
        expect(whys(await bench.claim('r1'))).toContain('lane_cooldown');
        await bench.store.resumeRun('r1');
        expect((await bench.claimed('r1')).job.jobId).toBe('j1');
      });

      it('of two times that a server names the later one holds', async () => {
        await bench.plan('r1', jobs(2));
        const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1')];
        const wait = (retryAfterMs: number) => failure({ class: 'rate', reason: 'rate_limited', retryAfterMs });
        await settleSent(first, { failure: wait(48 * 3_600_000) });
        await settleSent(second, { failure: wait(3_600_000) });
        bench.clock.pass(24 * 3_600_000);
        expect(whys(await bench.claim('r1'))).toEqual(['lane_paused']);
      });

      it('a pause that a person must end is not shortened by one with a time', async () => {
        await bench.plan('r1', jobs(3));
        const [first, second] = [await bench.claimed('r1'), await bench.claimed('r1')];
        await settleSent(first, { failure: failure({ class: 'fatal', reason: 'quota', message: 'no money' }) });
        await settleSent(second, { failure: failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 3_600_000 }) });
        expect(await bench.claim('r1')).toMatchObject({ blockedBy: [{ why: 'lane_paused', untilMs: null, message: 'no money' }] });
      });
    });

    describe('a settle tells of the pause that it caused', () => {
      const DAYS_MS = 48 * 3_600_000;
      const claims = async (count: number) => {
        const all: Claim[] = [];
        for (let i = 0; i < count; i += 1) all.push(await bench.claimed('r1'));
        return all;
      };

      it.each([
        ['auth', 'account', failure({ class: 'fatal', reason: 'auth', message: 'refused' }), null],
        ['model_unknown', 'model', failure({ class: 'fatal', reason: 'model_unknown', message: 'refused' }), null],
        ['rate_limited', 'lane', failure({ class: 'rate', reason: 'rate_limited', message: 'refused', retryAfterMs: DAYS_MS }), DAYS_MS],
        ['rate_limited', 'lane', failure({ message: 'refused', status: 503, retryAfterMs: DAYS_MS }), DAYS_MS],
      ] as const)('%s of the %s', async (reason, scope, bad, forMs) => {
        await bench.plan('r1', jobs(1));
        const settled = await bench.fail(await bench.claimed('r1'), bad);
        const untilMs = forMs === null ? null : bench.clock.nowMs + forMs;
        expect(settled).toMatchObject({ paused: { scope, reason, message: 'refused' } });
        expect((settled.applied && settled.paused?.untilMs) ?? 0).toBeGreaterThanOrEqual(untilMs ?? 0);
        expect(settled.applied && (settled.paused?.untilMs === null) === (untilMs === null)).toBe(true);
      });

      it('also of one that the headers of an answer brought, or a server without an answer', async () => {
        await bench.plan('r1', jobs(2));
        const [first, second] = await claims(2);
        if (first === undefined || second === undefined) throw new Error('nobody claimed');
        await bench.call(first);
        const requests = { limitPerMinute: 60, remaining: 0, resetMs: DAYS_MS };
        const call = { ...PAID, rates: { requests, tokens: null } };
        const answered = { kind: 'answered', callToken: first.token, answer: {}, repaired: false, call } as const;
        expect(await bench.store.settle(first.token, answered)).toMatchObject({
          finish: { work: { kind: 'finish' } },
          paused: { scope: 'lane', reason: 'rate_limited', untilMs: bench.clock.nowMs + DAYS_MS },
        });
        // That pause ends later, and is told already.
        const limited = failure({ class: 'rate', reason: 'rate_limited', retryAfterMs: 3_600_000 });
        expect(await bench.fail(second, limited)).toMatchObject({ applied: true, paused: null });
      });

      it('also of one after a long time of nothing but refusals', async () => {
        await bench.plan('r1', jobs(1), { settings: settings({ retry: { ...RETRY, maxWaitMs: 10_000 } }) });
        const limited = failure({ class: 'rate', reason: 'rate_limited', message: 'slow down' });
        const told: unknown[] = [];
        for (let i = 0; i < 9 && !told.some((paused) => paused !== null); i += 1) {
          const settled = await bench.fail(await bench.claimed('r1'), limited);
          told.push(settled.applied ? settled.paused : null);
          bench.clock.pass(60_000);
        }
        expect(told.at(0)).toBeNull();
        expect(told.at(-1)).toMatchObject({ scope: 'lane', reason: 'rate_limited', message: expect.stringContaining('no answer for') });
      });

      it('and of none when it paused nothing', async () => {
        await bench.plan('r1', jobs(3));
        const settled = [
          await bench.fail(await bench.claimed('r1'), failure()),
          await bench.answer(await bench.claimed('r1')),
          await bench.store.settle((await bench.claimed('r1')).token, { kind: 'handed_back' }),
        ];
        expect(settled.map((one) => one.applied && one.paused)).toEqual([null, null, null]);
      });
    });

    describe('several lanes', () => {
      const CLOUD = lane({ laneId: 'cloud', label: 'cloud', accountId: 'account-2' });
      const OF_CLOUD = [6, 7, 8].map((seq) => job(`c${seq}`, seq, { steps: [step(`key of c${seq}`, { laneId: 'cloud' })] }));
      const claimedJobs = async (count: number, workerId: string) => {
        const claims: Claim[] = [];
        for (let i = 0; i < count; i += 1) claims.push(await bench.claimed('r1', workerId));
        return claims;
      };
      const ids = (claims: readonly Claim[]) => claims.map((claim) => claim.job.jobId);

      it('a worker takes of the lane of which it runs the fewest, so that one that never answers does not fill it', async () => {
        await bench.plan('r1', [...jobs(6), ...OF_CLOUD], { lanes: [lane(), CLOUD] });
        const [, first, , second] = await claimedJobs(4, 'w1').then((claims) => {
          expect(ids(claims)).toEqual(['j0', 'c6', 'j1', 'c7']);
          return claims;
        });
        if (first === undefined || second === undefined) throw new Error('nobody claimed');
        await bench.complete(first);
        // What other workers run is not this one's.
        expect(ids(await claimedJobs(1, 'w2'))).toEqual(['j2']);
        expect(ids(await claimedJobs(1, 'w1'))).toEqual(['c8']);
        await bench.complete(second);
        // The cloud has nothing more.
        expect(ids(await claimedJobs(2, 'w1'))).toEqual(['j3', 'j4']);
      });

      it('a lane that may send nothing now is passed, also by one of which more runs', async () => {
        await bench.plan('r1', [...jobs(6), ...OF_CLOUD], { lanes: [lane(), { ...CLOUD, concurrency: 1 }] });
        expect(ids(await claimedJobs(4, 'w1'))).toEqual(['j0', 'c6', 'j1', 'j2']);
      });
    });

    describe('a model that the server does not know', () => {
      const UNKNOWN = failure({ class: 'fatal', reason: 'model_unknown', message: 'no such model: typo' });
      const typo = (jobId: string, seq: number) => jobOfKey(jobId, seq, `key of ${jobId}`, { model: 'typo' });

      it('rests alone: its steps wait for a person, and the others go on', async () => {
        await bench.plan('r1', [typo('t0', 0), job('j1', 1), typo('t2', 2), job('j3', 3)]);
        const [first, other] = [await bench.claimed('r1'), await bench.claimed('r1')];
        await settleSent(first, { failure: UNKNOWN });
        await bench.complete(other);
        expect((await bench.claimed('r1')).job.jobId).toBe('j3');
        expect(await bench.claim('r1')).toMatchObject({
          kind: 'blocked',
          blockedBy: [{ why: 'model_paused', laneId: null, count: 2, untilMs: null, message: 'no such model: typo' }],
        });
        expect((await bench.store.runTotals('r1')).waiting).toMatchObject([{ why: 'model_paused', count: 2 }]);
      });

      it('wakes up by no clock, only when a person starts the run again', async () => {
        await bench.plan('r1', [typo('t0', 0), typo('t1', 1)]);
        await settleSent(await bench.claimed('r1'), { failure: UNKNOWN });
        for (const ms of [1000, 3_600_000, -1000 * 3_600_000, 2000 * 3_600_000]) {
          bench.clock.pass(ms);
          expect(whys(await bench.claim('r1'))).toEqual(['model_paused']);
        }
        await bench.store.openRun(newRun('again', { identity: 'identity of r1' }));
        expect((await bench.claimed('r1')).job.jobId).toBe('t0');
        expect((await bench.claimed('r1')).job.jobId).toBe('t1');
      });

      it('takes along what joins it later: a job that is added, a call that ends, a step that is given back', async () => {
        await bench.plan('r1', [typo('t0', 0), typo('t1', 1), typo('t2', 2), job('j3', 3)]);
        const [first, second, third] = [await bench.claimed('r1'), await bench.claimed('r1'), await bench.claimed('r1')];
        await settleSent(first, { failure: UNKNOWN });
        await settleSent(second, { failure: failure() });
        await bench.store.settle(third.token, { kind: 'handed_back' });
        await bench.store.addJobs('r1', [typo('t4', 4)]);
        expect((await bench.claimed('r1')).job.jobId).toBe('j3');
        bench.clock.pass(30_000);
        expect(await bench.claim('r1')).toMatchObject({ blockedBy: [{ why: 'model_paused', count: 4 }] });
      });

      it('is nothing to another run', async () => {
        await bench.plan('r1', [typo('t0', 0)]);
        await bench.plan('r2', [jobOfKey('x', 0, 'other', { model: 'typo' })]);
        await settleSent(await bench.claimed('r1'), { failure: UNKNOWN });
        expect((await bench.claim('r2')).kind).toBe('claimed');
      });

      it('gives its steps an end with their run or their job', async () => {
        await bench.plan('r1', [typo('t0', 0), typo('t1', 1)]);
        await settleSent(await bench.claimed('r1'), { failure: UNKNOWN });
        expect(await bench.store.cancelJobs('r1', ['t0'], { now: false })).toMatchObject({ cancelled: 1 });
        await bench.store.cancelRun('r1');
        expect(await bench.states('r1')).toEqual(['cancelled', 'cancelled']);
      });
    });

    describe('a server that fails', () => {
      const patient = settings({ retry: { ...RETRY, attempts: 9, maxWaitMs: 3_600_000 } });

      /** Five questions fail in a row. */
      async function outage(): Promise<void> {
        await bench.plan('r1', jobs(8), { settings: patient });
        const claims: Claim[] = [];
        for (let i = 0; i < 5; i += 1) claims.push(await bench.claimed('r1'));
        for (const claim of claims) await settleSent(claim, { failure: failure() });
      }

      it('gets one probe at a time, and what had failed comes after it', async () => {
        await outage();
        const reply = await bench.claim('r1');
        expect(whys(reply)).toEqual(['lane_breaker', 'backoff']);
        bench.clock.nowMs = untilOf(reply);
        const probe = await bench.claimed('r1');
        expect(whys(await (await beside()).claim('r1', 'w2'))).toContain('lane_breaker');
        const retryAtMs = await settleSent(probe, { failure: failure() });
        const longer = await bench.claim('r1');
        const nextMs = (longer.kind === 'blocked' && longer.blockedBy.find(({ why }) => why === 'lane_breaker')?.untilMs) || 0;
        expect(nextMs).toBe(bench.clock.nowMs + 2000);
        expect(retryAtMs).toBeGreaterThan(nextMs);
        bench.clock.nowMs = nextMs;
        const next = await bench.claimed('r1');
        expect(next.job.jobId).not.toBe(probe.job.jobId);
        await bench.complete(next);
        expect((await bench.claim('r1')).kind).toBe('claimed');
        expect((await bench.claim('r1')).kind).toBe('claimed');
      });

      it('also when nothing could be sent to it at all', async () => {
        await bench.plan('r1', jobs(8), { settings: patient });
        const claims: Claim[] = [];
        for (let i = 0; i < 5; i += 1) claims.push(await bench.claimed('r1'));
        const call = { state: 'released', usage: null, costNanoUsd: null } as const;
        for (const claim of claims) await settleSent(claim, { failure: failure({ reason: 'connection' }), call });
        const reply = await bench.claim('r1');
        expect(whys(reply)).toContain('lane_breaker');
        bench.clock.nowMs = untilOf(reply);
        await settleSent(await bench.claimed('r1'), { failure: failure({ reason: 'connection' }), call });
        const again = await bench.claim('r1');
        expect(again.kind === 'blocked' && again.blockedBy.find(({ why }) => why === 'lane_breaker')?.untilMs).toBe(
          bench.clock.nowMs + 2000,
        );
      });

      it('gets no second probe because an older call could not be sent', async () => {
        await bench.plan('r1', jobs(8), { settings: patient });
        const claims: Claim[] = [];
        for (let i = 0; i < 6; i += 1) claims.push(await bench.claimed('r1'));
        const [older, ...others] = claims;
        for (const claim of others) await settleSent(claim, { failure: failure() });
        bench.clock.nowMs = untilOf(await bench.claim('r1'));
        await bench.claimed('r1');
        if (older === undefined) throw new Error('nobody claimed');
        const call = { state: 'released', usage: null, costNanoUsd: null } as const;
        await settleSent(older, { failure: failure({ reason: 'connection' }), call });
        expect(whys(await bench.claim('r1'))).toContain('lane_breaker');
      });

      it('is asked again at once when a person starts the run, or asks again for what failed', async () => {
        await outage();
        await bench.store.openRun(newRun('again', { identity: 'identity of r1', settings: patient }));
        const bad = await bench.claimed('r1');
        await settleSent(bad, { failure: failure({ class: 'permanent', reason: 'bad_request' }) });
        expect((await bench.store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null })).requeued).toBe(1);
        expect((await bench.claim('r1')).kind).toBe('claimed');
      });
    });

    it('the totals tell how fast answers came, by model, and nothing of calls that were not streamed', async () => {
      await bench.plan('r1', [job('j0', 0), job('j1', 1), jobOfKey('j2', 2, 'k2', { model: 'other' })]);
      const answerWith = async (timing: { latencyMs: number; firstTokenMs: number | null }) => {
        const claim = await bench.claimed('r1');
        await bench.call(claim);
        const call = { ...PAID, timing };
        await bench.store.settle(claim.token, { kind: 'answered', callToken: claim.token, answer: {}, repaired: false, call });
      };
      await answerWith({ latencyMs: 1200.4, firstTokenMs: 200.4 });
      await answerWith({ latencyMs: 2400, firstTokenMs: 400 });
      await answerWith({ latencyMs: 2400, firstTokenMs: null });
      const { byModel } = await bench.store.runTotals('r1');
      expect(byModel).toMatchObject([
        { model: 'model', firstTokenMs: 300, tokensPerSecond: 20, cachedInputTokens: 40 },
        { model: 'other', firstTokenMs: null, tokensPerSecond: null, cachedInputTokens: 20 },
      ]);
    });

    it('a claim says why the last try of its question failed', async () => {
      await bench.plan('r1', jobs(1));
      await settleSent(await bench.claimed('r1'), { failure: failure({ reason: 'timeout' }) });
      bench.clock.pass(5000);
      expect((await bench.claimed('r1')).work).toMatchObject({ attempts: 1, lastFailure: 'timeout' });
    });
  });
}
