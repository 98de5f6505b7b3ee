import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { Bench, Clock } from '../bench.ts';
import { document, jobOfKey, newRun } from '../rows.ts';
import { type PostgresBench, TestSchemas } from './open-store.ts';

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

const SELECT_LISTENERS = `
SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = $1 AND query = 'LISTEN aieval' AND state = 'idle'`;

describe('an idle worker on PostgreSQL', () => {
  let opened: PostgresBench;
  let worker: Store;
  let heard: number;

  beforeEach(async () => {
    opened = await schemas.open(new Clock().read);
    worker = await opened.another();
    heard = 0;
    worker.watchWork(() => {
      heard += 1;
    });
    await heardMoreThan(0);
  });
  afterEach(() => opened.dispose());

  const heardMoreThan = (times: number) => vi.waitFor(() => expect(heard).toBeGreaterThan(times), { timeout: 60_000, interval: 10 });
  const jobs = (from: number, count: number) => Array.from({ length: count }, (_, i) => jobOfKey(`j${from + i}`, from + i, `k${from + i}`));
  const listeners = async () => Number((await opened.db.query(SELECT_LISTENERS, [opened.schema])).rows[0].count);

  async function begin(runId: string): Promise<void> {
    await opened.store.openRun(newRun(runId));
    await opened.store.addDocuments(runId, [document('a.md'), document('b.md')]);
  }

  it('hears of the first jobs of a run while the others are added', async () => {
    await begin('r1');
    const before = heard;
    await opened.store.addJobs('r1', jobs(0, 1));
    await heardMoreThan(before);
  });

  it('hears of what a person brings: a retry, a resume, a higher bound', async () => {
    const bench = new Bench(opened.store, new Clock());
    await bench.plan('r1', jobs(0, 2));
    await bench.complete(await bench.claimed('r1'));
    await opened.store.pauseRun('r1');
    const changes = [
      () => opened.store.resumeRun('r1'),
      () => opened.store.setMaxRunning(3),
      () => opened.store.retryJobs('r1', { of: 'failed', jobIds: null, reasons: null }),
    ];
    await opened.db.query(`UPDATE jobs SET verdict = 'fail', result_verdict = 'fail' WHERE state = 'succeeded'`);
    for (const change of changes) {
      const before = heard;
      await change();
      await heardMoreThan(before);
    }
  });

  it('hears nothing of other stores in the same database', async () => {
    const other = await schemas.open(new Clock().read);
    await other.store.setMaxRunning(1);
    const before = heard;
    await opened.store.setMaxRunning(1);
    await heardMoreThan(before);
    expect(heard).toBe(before + 1);
    await other.dispose();
  });

  it('hears again after its connection was ended, and is told to look at once', async () => {
    for (let end = 0; end < 2; end += 1) {
      const before = heard;
      await opened.endConnections();
      await heardMoreThan(before);
    }
    const before = heard;
    await opened.store.setMaxRunning(1);
    await heardMoreThan(before);
  });

  it('is told a handful of times of a plan of 20,000 jobs, however it is added', async () => {
    let told = 0;
    opened.db.on('notification', ({ payload }) => {
      told += Number(payload === opened.schema);
    });
    await opened.db.query('LISTEN aieval');
    await begin('r1');
    for (let from = 0; from < 20_000; from += 2000) await opened.store.addJobs('r1', jobs(from, 2000));
    await opened.store.markPlanned('r1');
    await vi.waitFor(() => expect(told).toBeGreaterThan(1), { timeout: 60_000 });
    await opened.db.query('UNLISTEN *');
    expect(told).toBeLessThanOrEqual(3);
  }, 300_000);

  it('listens on one connection, and on none once its store is closed', async () => {
    worker.watchWork(() => undefined);
    expect(await listeners()).toBe(1);
    await worker.close();
    await vi.waitFor(async () => expect(await listeners()).toBe(0), { timeout: 60_000 });
  });
});
