import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bench, Clock } from '../bench.ts';
import { jobOfKey } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const UPDATES = 20_000;
/** All versions of a lane would take three times that, and some stay while other tests on the server have a transaction open. */
const MOST_BYTES = 3_000_000;
/** Of versions that stand on the page of the one before, so that no index knows of them. */
const LEAST_HOT = 0.8;

/** A change of each kind to the rows that every step of a job changes, in a transaction of its own. */
const CHANGE = `
DO $$ BEGIN
  SET LOCAL synchronous_commit = off;
  FOR i IN 1..${UPDATES} LOOP
    UPDATE lanes SET pace = jsonb_build_object('aimd', i, 'known', repeat('x', 300));
    UPDATE run_totals SET running = running + 1, calls = calls + 1, happened_at_ms = i;
    UPDATE run_progress SET seen_at_ms = i, active_ms = i;
    UPDATE revisions SET revision = revision + 1;
    UPDATE group_totals SET spent_nano_usd = i;
    UPDATE workers SET beat_at_ms = i WHERE worker_id = 'w1';
    COMMIT;
  END LOOP;
END $$`;

const TABLES = ['lanes', 'run_totals', 'run_progress', 'revisions', 'group_totals', 'workers'];
const SELECT_TABLES = `
SELECT relname AS name, pg_total_relation_size(relid)::int AS bytes, n_tup_upd::int AS updates,
  n_tup_hot_upd::float8 / greatest(1, n_tup_upd) AS hot
FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = ANY ($2)`;

type Table = { readonly name: string; readonly bytes: number; readonly updates: number; readonly hot: number };

describe('tables of few rows that every step of a job changes', () => {
  let opened: PostgresBench;

  beforeEach(async () => {
    const clock = new Clock();
    opened = await schemas.open(clock.read);
    await new Bench(opened.store, clock).plan('r1', [jobOfKey('j1', 0, 'k1')]);
    await opened.db.query(`INSERT INTO group_totals (group_name, month) VALUES ('g', '2027-01')`);
  });
  afterEach(() => opened.dispose());

  it('stay small over 20,000 changes', { timeout: 300_000 }, async () => {
    await opened.db.query(CHANGE);
    const tables = async () => (await opened.db.query<Table>(SELECT_TABLES, [opened.schema, TABLES])).rows;
    await vi.waitFor(async () => expect(Math.min(...(await tables()).map(({ updates }) => updates))).toBeGreaterThanOrEqual(UPDATES), {
      timeout: 60_000,
      interval: 500,
    });
    expect((await tables()).filter(({ bytes, hot }) => bytes > MOST_BYTES || hot < LEAST_HOT)).toEqual([]);
  });
});
