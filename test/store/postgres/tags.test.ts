import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../bench.ts';
import { job, settings } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
const clock = new Clock();
let opened: PostgresBench;
let bench: Bench;

beforeEach(async () => {
  opened = await schemas.open(clock.read);
  bench = new Bench(opened.store, clock);
});
afterEach(() => opened.dispose());
afterAll(() => schemas.drop());

const ROWS_READ = `
SELECT (t.seq_tup_read + coalesce(t.idx_tup_fetch, 0) + (
  SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.schemaname = t.schemaname AND i.relname = t.relname))::int AS rows
FROM pg_stat_user_tables t WHERE t.schemaname = $1 AND t.relname = 'steps'`;

async function rowsRead(): Promise<number> {
  await opened.db.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await opened.db.query<{ rows: number }>(ROWS_READ, [opened.schema]);
  return rows[0]?.rows ?? 0;
}

/** What all that another process does with the store reads of the steps: the server counts it when its connections end. */
async function readBy(work: (other: Bench) => Promise<unknown>): Promise<number> {
  const other = await opened.another();
  const before = await rowsRead();
  await work(new Bench(other, clock));
  await other.close();
  while ((await rowsRead()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
  return (await rowsRead()) - before;
}

it('a claim reads no more of a queue that is for others, however long that is', { timeout: 120_000 }, async () => {
  const count = 4000;
  const jobs = Array.from({ length: count }, (_, seq) => job(`g${seq}`, seq, { task: 'gpu' }));
  await bench.plan('r1', [...jobs, job('mine', count)], { settings: settings({ requires: { gpu: ['gpu'] } }) });
  await opened.db.query(`ANALYZE "${opened.schema}".steps`);
  const claimed = await readBy(async (other) => expect((await other.claimed('r1')).job.jobId).toBe('mine'));
  expect(claimed).toBeLessThan(100);
  // What waits is counted to a bound of 1000, each by its index entry and its row.
  const refused = await readBy(async (other) => expect((await other.claim('r1')).kind).toBe('blocked'));
  expect(refused).toBeLessThan(2500);
});
