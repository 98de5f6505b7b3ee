import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CacheMode } from '../../../src/domain/manifest/resolved.ts';
import type { Claim } from '../../../src/store/work.ts';
import { Bench, Clock, sumsOf } from '../bench.ts';
import { completion, failure, INVALID, job, jobOfKey, LANE, newRun, PAID, settings, step } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

/** What a worker may do with a claim that it holds; `index` chooses among those held. */
const ACTIONS = [
  'claim',
  'claim',
  'claim',
  'answer',
  'finish',
  'supersede',
  'record',
  'retry',
  'permanent',
  'bad',
  'handBack',
  'stale',
] as const;
const EVENTS = ['pause', 'expire', 'retryJobs', 'leave', 'changeMode'] as const;
const MODES = ['read-write', 'read', 'refresh', 'off'] as const;
const command = fc.record({
  action: fc.constantFrom(...ACTIONS, ...EVENTS),
  worker: fc.constantFrom('w1', 'w2', 'w3'),
  run: fc.constantFrom('r1', 'r2'),
  index: fc.nat(5),
});
type Command = { action: (typeof ACTIONS)[number] | (typeof EVENTS)[number]; worker: string; run: string; index: number };

const JOBS = [
  jobOfKey('j0', 0, 'k0'),
  jobOfKey('j1', 1, 'k0'),
  jobOfKey('j2', 2, 'k1'),
  job('j3', 3, { steps: [step('k2', { kind: 'chunk' }), step('k3', { kind: 'chunk', index: 1 })] }),
  jobOfKey('j4', 4, 'k2'),
];

/** Claims that some worker believes it holds, lost ones too: a store must stand both. */
class Workers {
  readonly #bench: Bench;
  readonly held: Claim[] = [];

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  async act({ action, worker, run, index }: Command): Promise<void> {
    const bench = this.#bench;
    if (action === 'claim') return this.#claim(run, worker);
    if (action === 'pause') return bench.clock.pass(2500);
    if (action === 'expire') return bench.clock.pass(60_000);
    if (action === 'leave')
      return bench.store.removeWorker(worker).then(() => bench.store.registerWorker({ ...REGISTERED, workerId: worker }));
    if (action === 'retryJobs') return void (await bench.store.retryJobs(run, { jobIds: null, reasons: null }));
    if (action === 'changeMode') return void (await bench.store.openRun(joiner(run, MODES[index % MODES.length])));
    const claim = this.held[index % Math.max(1, this.held.length)];
    if (claim !== undefined) await this.#settle(action, claim);
  }

  async #claim(run: string, worker: string): Promise<void> {
    const reply = await this.#bench.claim(run, worker);
    if (reply.kind === 'claimed') this.held.push(reply.claim);
  }

  async #settle(action: Command['action'], claim: Claim): Promise<void> {
    const { store } = this.#bench;
    if (action === 'handBack') return void (await store.settle(claim.token, { kind: 'handed_back' }));
    if (claim.work.kind === 'finish') return void (await this.#bench.finish(claim));
    const callToken = claim.work.kind === 'judge' ? claim.work.callToken : claim.token;
    if (claim.work.kind === 'call' && (await store.markSent(claim.token)) && action !== 'retry') await this.#record(callToken);
    if (action === 'record' || action === 'stale') return;
    if (action === 'answer' || action === 'finish') {
      if ((await store.response(callToken)) === null) return;
      const settled = await this.#bench.accept(claim, { findings: [] }, callToken);
      if (settled.applied && settled.finish !== null) this.held.push(settled.finish);
      return;
    }
    if (action === 'supersede' && claim.work.stepKind !== 'reask') {
      const reask = { answer: '', errors: ['no'] };
      return void (await store.settle(claim.token, { kind: 'superseded', callToken, reask, failure: INVALID, call: PAID }));
    }
    const why = { retry: failure(), permanent: failure({ class: 'permanent' }), bad: INVALID }[String(action)] ?? failure();
    await store.settle(claim.token, { kind: 'failed', callToken, failure: why, call: PAID });
  }

  async #record(callToken: string): Promise<void> {
    await this.#bench.store.recordResponse(callToken, completion());
  }
}

const REGISTERED = { runId: null, hostId: 'boot-1', hostname: 'laptop', pid: 1, version: '0.1.0' };

const LANES = [{ laneId: LANE, label: 'lab', concurrency: 3 }];

/** The same run started again with another cache mode. */
function joiner(run: string, cacheMode: CacheMode = 'off') {
  return newRun('again', { identity: `identity of ${run}`, lanes: LANES, settings: settings({ cacheMode }) });
}

/** What must hold after every command, asked of the rows themselves. */
const BROKEN = `
SELECT 'two flights of one key' FROM steps WHERE state = 'running' AND key IS NOT NULL GROUP BY flight_key HAVING count(*) > 1
UNION ALL SELECT 'one key running twice in a run' FROM steps WHERE state = 'running' AND key IS NOT NULL
  GROUP BY run_id, key HAVING count(*) > 1
UNION ALL SELECT 'an open job whose state is not that of its steps' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND (j.state = 'running') <> EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state = 'running')
UNION ALL SELECT 'an open job without an open step' FROM jobs j
  WHERE j.state IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1 FROM steps s WHERE s.run_id = j.run_id AND s.job_id = j.job_id AND s.state IN ('queued', 'running', 'waiting'))
UNION ALL SELECT 'a queued step of an ended job' FROM steps s JOIN jobs j USING (run_id, job_id)
  WHERE s.state IN ('queued', 'waiting') AND j.state IN ('succeeded', 'failed', 'cancelled')
UNION ALL SELECT 'an open call without a lease' FROM calls c
  WHERE c.state IN ('reserved', 'sent') AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.lease_token = c.call_token AND s.state = 'running')
UNION ALL SELECT 'a cached answer that was never found valid' FROM cache c JOIN responses r USING (call_token) WHERE r.judgement <> 'valid'
UNION ALL SELECT 'a worker with two suspects' FROM steps s JOIN keys k ON k.run_id = s.run_id AND k.key = s.failure_key
  WHERE s.state = 'running' AND k.suspect = 1 GROUP BY s.lease_owner HAVING count(*) > 1
UNION ALL SELECT 'more running than the lane gives' FROM steps WHERE state = 'running' AND gate IS NOT NULL GROUP BY gate HAVING count(*) > 3
UNION ALL SELECT 'a key over its attempts' FROM keys WHERE attempts > 3 AND failed = 0`;

async function check(opened: SqliteBench, bench: Bench): Promise<void> {
  expect(opened.db.prepare(BROKEN).pluck().all()).toEqual([]);
  for (const run of ['r1', 'r2']) {
    const { jobs, calls, attempts, cacheHits, tokens } = await bench.store.runTotals(run);
    expect({ jobs, calls, attempts, cacheHits, tokens }).toEqual(await sumsOf(bench.store, run));
  }
}

/** One honest worker works off what is left. */
async function drain(bench: Bench): Promise<void> {
  for (const run of ['r1', 'r2']) {
    for (let turn = 0; turn < 200; turn += 1) {
      const reply = await bench.claim(run, 'last');
      if (reply.kind === 'drained' || (reply.kind === 'stopped' && (await isOver(bench, run)))) break;
      if (reply.kind !== 'claimed') bench.clock.pass(60_000);
      else if (reply.claim.work.kind === 'finish') await bench.finish(reply.claim);
      else if (reply.claim.work.kind === 'judge') await finishIf(bench, await bench.accept(reply.claim, 1, reply.claim.work.callToken));
      else await finishIf(bench, await bench.answer(reply.claim));
    }
  }
}

/** A cancelled run stops claims before the leases of the silent have run out. */
async function isOver(bench: Bench, run: string): Promise<boolean> {
  const { queued, running } = (await bench.store.runTotals(run)).jobs;
  return queued + running === 0;
}

async function finishIf(bench: Bench, settled: Awaited<ReturnType<Bench['accept']>>): Promise<void> {
  if (settled.applied && settled.finish !== null) await bench.finish(settled.finish);
}

it('whatever three workers do to two runs, the rows stay true and the work can be finished', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
      const clock = new Clock();
      const opened = await openTempStore(clock.read);
      const bench = new Bench(opened.store, clock);
      try {
        await bench.plan('r1', JOBS, { lanes: LANES });
        await bench.plan('r2', JOBS, { lanes: LANES, settings: settings({ cacheMode: 'off' }) });
        const workers = new Workers(bench);
        for (const one of commands) {
          await workers.act(one);
          await check(opened, bench);
        }
        const cancelled = commands.length % 2 === 0;
        if (cancelled) await bench.store.cancelRun('r2');
        await drain(bench);
        await check(opened, bench);
        expect(await bench.store.finishRun('r1')).toBe(true);
        if (!cancelled) expect(await bench.store.finishRun('r2')).toBe(true);
        expect((await bench.store.runTotals('r2')).jobs).toMatchObject({ queued: 0, running: 0 });
      } finally {
        await opened.dispose();
      }
    }),
    { numRuns: 20 },
  );
});
