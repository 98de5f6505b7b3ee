import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { Bench, Clock, START_MS } from '../store/bench.ts';
import { lane, worker } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { type BigRun, planBigRun } from './big-run.ts';
import { median } from './median.ts';

const SMALL = 1000;
const BIG = 1_000_000;
const ROUNDS = 300;
const FEW_ROUNDS = 10;
const MEMORY = '/dev/shm';
const SLOW = 'slow-lane';
const LANES = [lane({ concurrency: 100, cachesPrompts: true }), lane({ laneId: SLOW, label: 'slow', concurrency: 100 })];

type Variant = {
  readonly title: string;
  readonly key?: (jobs: number) => string;
  /** Figures only: a claim steps over each twin of a flight that stands before it. */
  readonly isReport?: boolean;
  /** A call of the run brings a beginning into the server's cache. */
  readonly isWarming?: boolean;
  /** Puts every second step of `r1` where it waits. */
  readonly wait: (opened: SqliteBench, jobs: number) => void;
};

const half = (change: string) => (opened: SqliteBench) => {
  opened.db.prepare(`UPDATE steps SET ${change} WHERE run_id = 'r1' AND seq % 2 = 0`).run();
};

const behindLane = (change: string) => (opened: SqliteBench) => {
  half(`lane_id = '${SLOW}', gate = '${SLOW}'`)(opened);
  opened.db.prepare(`UPDATE lanes SET ${change} WHERE lane_id = '${SLOW}'`).run();
};

const FINISHED_RUNS = 10_000;

/** Runs that are over and drew on the same lanes stand behind the big one. */
function afterManyRuns({ db }: SqliteBench, jobs: number): void {
  if (jobs === SMALL) return;
  const copies = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${FINISHED_RUNS})`;
  db.exec(`
${copies} INSERT INTO runs (run_id, identity, holds_identity, name, state, manifest_path, manifest, settings, aggregates, out_dir, created_at_ms,
    planned_at_ms, finished_at_ms)
  SELECT 'over-' || n, 'over ' || n, 1, name, 'finished', manifest_path, manifest, settings, aggregates, out_dir, created_at_ms,
    created_at_ms, created_at_ms FROM numbers CROSS JOIN runs WHERE run_id = 'r1';
${copies} INSERT INTO run_lanes (run_id, lane_id, concurrency)
  SELECT 'over-' || n, lane_id, concurrency FROM numbers CROSS JOIN run_lanes WHERE run_id = 'r1';`);
}

const COOLING = JSON.stringify({ refusals: { count: 1, episodeAtMs: START_MS, lastAtMs: START_MS, restUntilMs: START_MS + 600_000 } });

const VARIANTS: readonly Variant[] = [
  { title: 'nothing', wait: () => undefined },
  { title: 'nothing, 10,000 finished runs on their lanes', wait: afterManyRuns },
  { title: 'a backoff', wait: half(`parked = 1, run_at_ms = ${START_MS + 3_600_000}`) },
  { title: 'a paused lane', wait: behindLane(`paused_reason = 'auth', paused_message = 'the key was refused'`) },
  { title: 'a cooling lane', wait: behindLane(`pace = '${COOLING}'`) },
  { title: 'a person, because their model is paused', wait: half(`parked = 1, run_at_ms = ${Number.MAX_SAFE_INTEGER}`) },
  { title: 'the first token of a prompt that begins alike', wait: half(`prefix = 'warming'`), isWarming: true },
  { title: 'twins of a key in flight', key: () => `iif(n % 2 = 0, 'in-flight', 'key-' || n)`, wait: () => undefined },
  {
    title: 'twins of a key in flight, all before the others',
    key: (jobs) => `iif(n < ${jobs / 2}, 'in-flight', 'key-' || n)`,
    wait: () => undefined,
    isReport: true,
  },
];

// The wait for the disk, the same at any size, would hide what a claim costs.
beforeAll(() => void vi.stubEnv('TMPDIR', existsSync(MEMORY) ? MEMORY : tmpdir()));

const opened: SqliteBench[] = [];
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const one of opened) await one.dispose();
});

async function prepared({ key, wait, isWarming }: Variant, jobs: number): Promise<Bench> {
  const clock = new Clock();
  const place = await openTempStore(clock.read, { newToken: randomUUID });
  opened.push(place);
  const run: BigRun = { runId: 'r1', jobs, run: { lanes: LANES }, ...(key === undefined ? {} : { key: key(jobs) }) };
  await planBigRun(place.store, place.db, run);
  wait(place, jobs);
  place.db.pragma('wal_checkpoint(TRUNCATE)');
  await place.store.registerWorker(worker('w1'));
  const bench = new Bench(place.store, clock);
  if (key !== undefined || isWarming === true) await bench.claimed('r1');
  return bench;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function claimAndHandBack(store: Store): Promise<void> {
  const reply = await store.claim({ runId: 'r1', workerId: 'w1' });
  if (reply.kind !== 'claimed') throw new Error(`Expected a claim, got ${reply.kind}`);
  await store.settle(reply.claim.token, { kind: 'handed_back' });
}

describe.each(VARIANTS)('half of the steps wait for $title', (variant) => {
  it('a claim at 1,000,000 steps costs at most twice one at 1,000', async () => {
    const small = await prepared(variant, SMALL);
    const big = await prepared(variant, BIG);
    const times = { small: [] as number[], big: [] as number[], smallDone: [] as number[], bigDone: [] as number[] };
    for (let round = 0; round < (variant.isReport === true ? FEW_ROUNDS : ROUNDS); round += 1) {
      times.small.push(await timed(() => claimAndHandBack(small.store)));
      times.big.push(await timed(() => claimAndHandBack(big.store)));
      times.smallDone.push(await timed(async () => small.complete(await small.claimed('r1'))));
      times.bigDone.push(await timed(async () => big.complete(await big.claimed('r1'))));
    }
    const ratio = median(times.big) / median(times.small);
    const ratioDone = median(times.bigDone) / median(times.smallDone);
    const ms = (values: readonly number[]) => median(values).toFixed(2);
    console.log(
      `claim, half wait for ${variant.title}: hand back ${ms(times.small)} ms at ${SMALL}, ${ms(times.big)} ms at ${BIG} (${ratio.toFixed(2)}×); ` +
        `settle and finish ${ms(times.smallDone)} ms, ${ms(times.bigDone)} ms (${ratioDone.toFixed(2)}×)`,
    );
    if (variant.isReport === true) return;
    expect(ratio).toBeLessThanOrEqual(2);
    expect(ratioDone).toBeLessThanOrEqual(2);
  });
});
