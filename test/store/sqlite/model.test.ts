import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CacheMode } from '../../../src/domain/manifest/resolved.ts';
import type { Invariant } from '../../../src/store/invariants.ts';
import { INVARIANTS } from '../../../src/store/sqlite/schema/invariants.ts';
import type { Claim } from '../../../src/store/work.ts';
import { Bench, Clock, isUnreduced, sumsOf } from '../bench.ts';
import { chunk, completion, failure, INVALID, job, jobOfKey, lane, newRun, PAID, reduce, settings } from '../rows.ts';
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
  job('j3', 3, { steps: [chunk('k2'), chunk('k3', 1)] }),
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
    if (action === 'retryJobs') return void (await bench.store.retryJobs(run, { of: 'dlq', jobIds: null, reasons: null }));
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
    if (claim.work.kind === 'finish') {
      if (!isUnreduced(claim.work) || action === 'finish') return void (await this.#bench.finish(claim));
      return void (await store.settle(claim.token, { kind: 'reduce', step: reduce('kr') }));
    }
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

const LANES = [lane({ concurrency: 3 })];

/** The same run started again with another cache mode. */
function joiner(run: string, cacheMode: CacheMode = 'off') {
  return newRun('again', { identity: `identity of ${run}`, lanes: LANES, settings: settings({ cacheMode }) });
}

/** What must hold here besides: the lane gives three slots and a key three attempts, from the first command to the last. */
const BOUNDS: readonly Pick<Invariant, 'name' | 'sql'>[] = [
  {
    name: 'more running than the lane gives',
    sql: `SELECT gate FROM steps WHERE state = 'running' AND gate IS NOT NULL GROUP BY gate HAVING count(*) > 3`,
  },
  { name: 'a key over its attempts', sql: `SELECT key FROM keys WHERE attempts > 3 AND failed = 0` },
];

/** The names of what does not hold, asked of the rows themselves. */
function broken(db: Database): string[] {
  return [...INVARIANTS, ...BOUNDS].filter(({ sql }) => db.prepare(sql).all().length > 0).map(({ name }) => name);
}

async function check(opened: SqliteBench, bench: Bench): Promise<void> {
  expect(broken(opened.db)).toEqual([]);
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
