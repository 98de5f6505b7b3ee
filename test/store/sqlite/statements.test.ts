import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../bench.ts';
import { job, LANE } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

let opened: SqliteBench;
let bench: Bench;
let statements: Set<string>;

beforeEach(async () => {
  const clock = new Clock();
  statements = new Set();
  opened = await openTempStore(clock.read, {
    openDatabase: (path) => new BetterSqlite3(path, { timeout: 0, verbose: (text) => statements.add(String(text)) }),
  });
  bench = new Bench(opened.store, clock);
  await bench.plan('r1', [job('j1', 0), job('j2', 1)], { lanes: [{ laneId: LANE, label: 'lab', concurrency: 1 }] });
});
afterEach(() => opened.dispose());

/** Plan of each statement on jobs and steps that was run, as SQLite explains it. */
function plans(): { text: string; detail: string }[] {
  return [...statements]
    .filter((text) => /^\s*(SELECT|UPDATE|WITH)/.test(text))
    .flatMap((text) => {
      const rows = opened.db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`).all();
      return rows.map((row) => ({ text: text.trim(), detail: row.detail }));
    });
}

it('no statement of a claim or a settle scans jobs, steps, calls or responses', async () => {
  statements.clear();
  await bench.complete(await bench.claimed('r1'));
  const second = await bench.claimed('r1');
  await bench.claim('r1', 'w2');
  await bench.supersede(second);
  await bench.claim('r1', 'w2');
  const scans = plans().filter(({ detail }) =>
    /^SCAN (jobs|steps|calls|responses|attempts|keys|[a-vx-z])\b(?!.*USING (COVERING )?INDEX)/.test(detail),
  );
  expect(scans.filter(({ detail }) => !/json_each|CONSTANT/.test(detail))).toEqual([]);
  // The whole run, or the whole job table, by way of an index.
  expect(plans().filter(({ detail }) => /USING (COVERING )?INDEX steps_of_job \(run_id=\?\)$/.test(detail))).toEqual([]);
});

it('the head of a queue is found in the order of its index, without sorting', async () => {
  statements.clear();
  await bench.claimed('r1');
  const heads = plans().filter(({ text }) => text.includes('ORDER BY s.order_ms'));
  expect(heads.some(({ detail }) => detail.includes('USING INDEX steps_queue (run_id=? AND gate=?)'))).toBe(true);
  expect(heads.filter(({ detail }) => detail.includes('TEMP B-TREE'))).toEqual([]);
});
