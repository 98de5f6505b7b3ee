import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewJob, NewLane } from '../../../src/store/plan-rows.ts';
import type { ClaimReply } from '../../../src/store/work.ts';
import { Bench, Clock } from '../bench.ts';
import { document, jobOfKey, lane, newRun, settings, worker } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';
import { expectSound } from './sound.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const RATE = { price: { inputPerMTok: 1, outputPerMTok: 2 }, maxOutputTokens: 1000 };
/** The most that one call may cost, in nano-USD. */
const WORST = 2_100_000;
const NO_BUDGET = { nanoUsd: null, tokens: null, activeMs: null, warnAt: 0.8, group: null };

describe('processes on one PostgreSQL store', { timeout: 120_000 }, () => {
  const clock = new Clock();
  let opened: PostgresBench;
  let processes: Bench[];
  /** Deadlocks, and locks that were not given in time. Of this store alone: other tests share the server. */
  let lockRetries: number;
  const onLockRetry = () => {
    lockRetries += 1;
  };

  beforeEach(async () => {
    lockRetries = 0;
    opened = await schemas.open(clock.read, { onLockRetry });
    processes = [new Bench(opened.store, clock)];
    for (let i = 0; i < 3; i += 1) processes.push(new Bench(await opened.another({ onLockRetry }), clock));
  });
  afterEach(async () => {
    await expectSound(opened.db);
    await opened.dispose();
  });

  /** Each process asks for each run at the same moment, so often. */
  async function claimAll(runs: readonly string[], times: number): Promise<readonly ClaimReply[]> {
    const asks = processes.flatMap((process, i) =>
      runs.flatMap((run) => Array.from({ length: times }, () => process.claim(run, `w${(i % 3) + 1}`))),
    );
    return Promise.all(asks);
  }

  const first = () => {
    const [process] = processes;
    if (process === undefined) throw new Error('Nobody is there');
    return process;
  };

  const tokens = (replies: readonly ClaimReply[]) => replies.flatMap((reply) => (reply.kind === 'claimed' ? [reply.claim.token] : []));
  const jobs = (run: string, count: number) => Array.from({ length: count }, (_, i) => jobOfKey(`${run}-${i}`, i, `key ${run} ${i}`));

  /** A lane of the run's own, and its jobs there. */
  function alone(run: string, all: readonly NewJob[]): { readonly lanes: readonly NewLane[]; readonly jobs: readonly NewJob[] } {
    const own = lane({ laneId: `lane of ${run}`, accountId: `account of ${run}` });
    return { lanes: [own], jobs: all.map((job) => ({ ...job, steps: job.steps.map((step) => ({ ...step, laneId: own.laneId })) })) };
  }

  it('start no more calls together than a lane that their runs share gives', async () => {
    const runs = ['r1', 'r2', 'r3', 'r4'];
    for (const run of runs) await first().plan(run, jobs(run, 10), { lanes: [lane({ concurrency: 3 })] });
    expect(new Set(tokens(await claimAll(runs, 3))).size).toBe(3);
  });

  it('start no more than maxRunning together, though their runs share no lane', async () => {
    for (const run of ['r1', 'r2']) {
      const own = alone(run, jobs(run, 10));
      await first().plan(run, own.jobs, { lanes: own.lanes });
    }
    await opened.store.setMaxRunning(1);
    for (let round = 0; round < 8; round += 1) {
      const claimed = tokens(await claimAll(['r1', 'r2'], 1));
      expect(claimed.length).toBe(1);
      for (const token of claimed) await opened.store.settle(token, { kind: 'handed_back' });
    }
  });

  it('reserve no more of a group than it may spend, though their runs share no lane', async () => {
    const group = { name: 'team', nanoUsd: WORST, per: 'total' } as const;
    const within = settings({ rates: { model: RATE }, budget: { ...NO_BUDGET, group } });
    for (const run of ['r1', 'r2']) {
      const own = alone(run, jobs(run, 10));
      await first().plan(run, own.jobs, { lanes: own.lanes, settings: within });
    }
    for (let round = 0; round < 8; round += 1) {
      const claimed = tokens(await claimAll(['r1', 'r2'], 1));
      expect(claimed.length).toBe(1);
      expect(await opened.store.budgetGroups()).toMatchObject([{ reservedNanoUsd: WORST }]);
      for (const token of claimed) await opened.store.settle(token, { kind: 'handed_back' });
    }
  });

  it('ask a question once, though two runs on lanes of their own come to it at the same moment', async () => {
    for (let round = 0; round < 8; round += 1) {
      const runs = [`a${round}`, `b${round}`, `c${round}`];
      for (const run of runs) {
        const own = alone(run, [jobOfKey('j', 0, `k${round}`)]);
        await first().plan(run, own.jobs, { lanes: own.lanes });
      }
      expect(tokens(await claimAll(runs, 1)).length).toBe(1);
    }
  });

  it('plan the same questions of the same documents at once, in any order', async () => {
    const questions = Array.from({ length: 60 }, (_, i) => i);
    const plans = processes.map(async ({ store }, p) => {
      const run = `p${p}`;
      const order = p % 2 === 0 ? questions : [...questions].reverse();
      await store.openRun(newRun(run));
      await store.addDocuments(
        run,
        ['a.md', ...order.map((i) => `d${i}.md`)].map((id) => document(id)),
      );
      await store.addJobs(
        run,
        order.map((i, seq) => jobOfKey(`j${i}`, seq, `k${i}`)),
      );
      await store.markPlanned(run);
    });
    await Promise.all(plans);
    expect(lockRetries).toBe(0);
    for (const { runId } of await opened.store.listRuns()) expect((await opened.store.runTotals(runId)).jobs.queued).toBe(60);
  });

  it('claim, settle, hand back, pause, resume, retry, cancel and count through each other without a deadlock, and no work is lost', async () => {
    const runs = ['r1', 'r2', 'r3'];
    for (const run of runs) {
      const shared = Array.from({ length: 12 }, (_, i) => jobOfKey(`j${i}`, i, `k${i % 8}`));
      await first().plan(run, shared, { lanes: [lane({ concurrency: 6 }), lane({ laneId: 'lane-2' })] });
    }
    await Promise.all(processes.map((process, p) => work(process, `own-${p}`, runs)));
    expect(lockRetries).toBe(0);
    for (const run of runs) expect((await opened.store.runTotals(run)).jobs).toMatchObject({ succeeded: 12 });
  });

  /** One process works until nothing is left, and disturbs the others meanwhile. */
  async function work(process: Bench, workerId: string, runs: readonly string[]): Promise<void> {
    const { store } = process;
    await store.registerWorker(worker(workerId));
    for (let turn = 0; turn < 400; turn += 1) {
      const replies = await Promise.all(runs.map((run) => process.claim(run, workerId)));
      if (replies.every(({ kind }) => kind === 'drained')) return;
      await Promise.all(replies.map((reply) => (reply.kind === 'claimed' ? settleAny(process, reply.claim, turn) : undefined)));
      if (turn % 5 === 0) await disturb(process, workerId, turn);
      if (turn % 7 === 3) clock.pass(2500);
    }
    throw new Error('It has no end');
  }

  async function disturb({ store }: Bench, workerId: string, turn: number): Promise<void> {
    await Promise.all([
      store.runTotals('r1'),
      store.leasesToEnd(workerId),
      store.setMaxRunning(turn % 10 === 0 ? 5 : null),
      store.pauseRun('r2').then(() => store.resumeRun('r2')),
      store.cancelJobs('r3', [], { now: false }),
      store.retryJobs('r1', { of: 'dlq', jobIds: null, reasons: null }),
      store.resetBudgetGroup('nobody'),
    ]);
  }

  async function settleAny(process: Bench, claim: Extract<ClaimReply, { kind: 'claimed' }>['claim'], turn: number): Promise<void> {
    if (claim.work.kind === 'finish') return void (await process.finish(claim));
    if (turn % 6 === 5) return void (await process.store.settle(claim.token, { kind: 'handed_back' }));
    const callToken = claim.work.kind === 'judge' ? claim.work.callToken : claim.token;
    if (claim.work.kind === 'call') await process.call(claim);
    const settled = await process.accept(claim, { findings: [] }, callToken);
    if (settled.applied && settled.finish !== null) await process.finish(settled.finish);
  }
});
