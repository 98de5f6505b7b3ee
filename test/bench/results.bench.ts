import { hostname } from 'node:os';
import type { Database } from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { completion, result } from '../store/rows.ts';
import { openTempStore, type SqliteBench } from '../store/sqlite/open-store.ts';
import { planBigRun } from './big-run.ts';
import { median } from './median.ts';

const JOBS = 10_000;
const PAGE = 200;
const ROUNDS = 5;
const ANSWER = { findings: [{ quote: 'word '.repeat(600) }] };

let opened: SqliteBench;
afterEach(() => opened.dispose());

// As a run leaves them that was answered job by job.
const END = [
  `UPDATE steps SET state = 'succeeded', outcome = 'answered', gate = NULL, call_token = 't' || seq WHERE run_id = :runId`,
  `INSERT INTO calls (call_token, run_id, job_id, step_id, state, uncached_input, cache_read, cache_write, output, reasoning, cost_nano_usd,
     reserved_at_ms, sent_at_ms, settled_at_ms, latency_ms)
   SELECT call_token, run_id, job_id, step_id, 'settled', 3000, 0, 0, 700, 0, 1000, :nowMs, :nowMs, :nowMs, 1200 FROM steps WHERE run_id = :runId`,
  `INSERT INTO responses (call_token, run_id, job_id, key, step_kind, completion, latency_ms, mode, recorded_at_ms, judgement, judged_at_ms, answer)
   SELECT call_token, run_id, job_id, key, kind, :completion, 1200, 'json_schema', :nowMs, 'valid', :nowMs, :answer FROM steps WHERE run_id = :runId`,
  `INSERT INTO attempts (run_id, job_id, step_id, number, call_token, outcome, counted, final, started_at_ms, ended_at_ms)
   SELECT run_id, job_id, step_id, 1, call_token, 'succeeded', 1, 1, :nowMs, :nowMs FROM steps WHERE run_id = :runId`,
  `UPDATE jobs SET state = 'succeeded', verdict = 'pass', result = json_set(:result, '$.callToken', 't' || seq), answer_call_token = 't' || seq,
     ended_at_ms = :nowMs WHERE run_id = :runId`,
];

function answerAll(db: Database, runId: string): void {
  const values = {
    ...{ runId, nowMs: Date.now() },
    completion: JSON.stringify(completion(JSON.stringify(ANSWER))),
    answer: JSON.stringify(ANSWER),
    result: JSON.stringify(result('', { answer: ANSWER })),
  };
  const all = db.transaction(() => {
    for (const statement of END) db.prepare<[typeof values]>(statement).run(values);
  });
  all.immediate();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

/** Milliseconds: the median of some rounds. */
async function took(work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    expect(await work()).toBe(JOBS);
    times.push(performance.now() - start);
  }
  return median(times);
}

async function readRows(store: Store): Promise<number> {
  let read = 0;
  for (let after = -1; ; ) {
    const rows = await store.jobRows('r1', { after, limit: PAGE });
    read += rows.length;
    const last = rows.at(-1);
    if (last === undefined) return read;
    after = last.seq;
  }
}

async function readRecords(store: Store): Promise<number> {
  let read = 0;
  for (let start = 0; start < JOBS; start += PAGE) {
    const jobIds = Array.from({ length: PAGE }, (_, n) => `j${start + n}`);
    read += (await store.jobRecords('r1', jobIds)).length;
  }
  return read;
}

it('rows of 10,000 answered jobs take at most 12 times as long as their results alone', async () => {
  opened = await openTempStore(Date.now);
  const { store, db } = opened;
  await planBigRun(store, db, { runId: 'r1', jobs: JOBS });
  answerAll(db, 'r1');
  const results = db.prepare<[number], { seq: number; result: string }>(
    `SELECT seq, result FROM jobs WHERE run_id = 'r1' AND seq > ? ORDER BY seq LIMIT ${PAGE}`,
  );
  const plain = await took(async () => {
    let read = 0;
    for (let after = -1; ; ) {
      const rows = results.all(after).map((row) => ({ ...row, result: JSON.parse(row.result) }));
      read += rows.length;
      const last = rows.at(-1);
      if (last === undefined) return read;
      after = last.seq;
    }
  });
  const rows = await took(() => readRows(store));
  const records = await took(() => readRecords(store));
  console.log(
    `${JOBS} rows on ${hostname()}: results alone ${plain.toFixed(0)} ms, rows ${rows.toFixed(0)} ms (${(rows / plain).toFixed(1)}×), records ${records.toFixed(0)} ms`,
  );
  expect(rows / plain).toBeLessThanOrEqual(12);
});
