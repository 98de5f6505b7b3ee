import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SELECT_BY_NAME } from '../../../src/store/postgres/runs/key-facts.ts';
import { positional } from '../../../src/store/postgres/statement.ts';
import { Bench, Clock } from '../bench.ts';
import { jobOfKey } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const JOBS = 2000;
const DONE = 30;
/** What a plan reads of other rows for one job, and a job from its claim to its verdict: the checks of references are most of it. */
const READ_BY_PLAN = 10;
const READ_BY_JOB = 150;

// By indexes, and by reading whole tables.
const SELECT_READ = `
SELECT coalesce(sum(t.seq_tup_read), 0) + (SELECT coalesce(sum(i.idx_tup_read), 0) FROM pg_stat_user_indexes i
    WHERE i.schemaname = $1 AND i.relname = ANY ($2)) AS read,
  coalesce(sum(t.n_tup_ins) FILTER (WHERE t.relname = 'attempts'), 0) AS attempts
FROM pg_stat_user_tables t WHERE t.schemaname = $1 AND t.relname = ANY ($2)`;
const BIG_TABLES = ['jobs', 'steps', 'calls', 'responses', 'attempts', 'key_records', 'cache', 'keys'];

type Plan = {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};

/** Over all steps of a plan. */
function rowsRead(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), own);
}

describe('a store whose tables were never looked at', () => {
  let opened: PostgresBench;
  let bench: Bench;

  beforeEach(async () => {
    const clock = new Clock();
    opened = await schemas.open(clock.read);
    bench = new Bench(opened.store, clock);
  });
  afterEach(() => opened.dispose());

  it('finds the rows of a job by themselves, on connections that planned their statements when the tables were empty', async () => {
    // Each connection learns all that it does while there are only a few rows.
    await bench.plan('r0', [jobOfKey('first', 0, 'first')]);
    await bench.complete(await bench.claimed('r0'));
    await bench.plan(
      'r1',
      Array.from({ length: JOBS }, (_, i) => jobOfKey(`j${i}`, i, `k${i}`)),
    );
    for (let i = 0; i < DONE; i += 1) await bench.complete(await bench.claimed('r1'));
    // What a connection has counted is known at its end.
    await opened.store.close();
    const counted = async () => (await opened.db.query(SELECT_READ, [opened.schema, BIG_TABLES])).rows[0];
    await vi.waitFor(async () => expect(Number((await counted()).attempts)).toBeGreaterThanOrEqual(2 * (DONE + 1)), { timeout: 60_000 });
    expect(Number((await counted()).read)).toBeLessThan(JOBS * READ_BY_PLAN + DONE * READ_BY_JOB);
  });

  it('finds answers like one that is looked for among the first jobs of their document and task, however many there are', async () => {
    const jobs = Array.from({ length: JOBS }, (_, i) => jobOfKey(`j${i}`, i, `k${i}`));
    await bench.plan('r1', jobs);
    await bench.complete(await bench.claimed('r1'));
    await opened.db.query('ANALYZE');
    const question = { documentId: 'a.md', task: 'task', limit: 10 };
    const { text, names } = positional(SELECT_BY_NAME);
    const values = names.map((name) => Object.entries(question).find(([key]) => key === name)?.[1]);
    const { rows } = await opened.db.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    expect(await opened.store.relatedAnswers({ ...question, promptSha256: '' })).toHaveLength(1);
    expect(rowsRead(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(1000);
  });
});
