import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, START_MS } from '../../bench.ts';
import { jobOfKey, newRun } from '../../rows.ts';
import { type Fault, FaultyDatabase } from './faulty-database.ts';
import { type OpenedStore, openIn } from './open-file.ts';
import { operationRows } from './operation-rows.ts';
import { NAMES, trialsOf } from './trials.ts';

const PAGES = 1_000_000;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aieval-disk-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('no operation is half done when the file can grow no more, and each can be done when it can', { timeout: 60_000 }, async () => {
  const refused: string[] = [];
  for (const name of NAMES) {
    const next = await trialsOf(root, name);
    const whole = await next();
    await whole.act();
    const trial = await next();
    const { raw } = trial.database;
    const before = trial.state();
    raw.pragma(`max_page_count = ${String(raw.pragma('page_count', { simple: true }))}`);
    const error: unknown = await trial.act().then(
      () => null,
      (cause: unknown) => cause,
    );
    raw.pragma(`max_page_count = ${PAGES}`);
    if (error !== null) {
      refused.push(name);
      expect(error, name).toMatchObject({ name: 'UserError', code: 'E24', exitCode: 8 });
      expect(trial.state(), name).toBe(before);
      await trial.act();
    }
    expect(trial.state(), name).toBe(whole.state());
    await Promise.all([trial, whole].map(({ opened }) => opened.close()));
  }
  expect(refused).toEqual(expect.arrayContaining(['answered', 'superseded']));
});

describe('operations that share a commit', () => {
  let database: FaultyDatabase;
  let opened: OpenedStore;
  beforeEach(async () => {
    database = new FaultyDatabase();
    opened = await openIn(root, START_MS, { openDatabase: database.open });
  });
  afterEach(() => opened.close());

  const INSERTS_RUN = /^\s*INSERT INTO runs\b/;

  /** Opens three runs at once; the second one's row meets the fault. Returns what became of each. */
  async function openThree(fault: Fault): Promise<string[]> {
    let inserts = 0;
    database.watch((text) => {
      if (INSERTS_RUN.test(text)) inserts += 1;
      return INSERTS_RUN.test(text) && inserts === 2 ? fault : null;
    });
    const results = await Promise.allSettled(['r1', 'r2', 'r3'].map((runId) => opened.store.openRun(newRun(runId))));
    database.heal();
    return results.map(({ status }) => status);
  }

  const runs = async () => (await opened.store.listRuns()).map(({ runId }) => runId).sort();

  it('fail alone when only their own statement failed', async () => {
    expect(await openThree({ code: 'SQLITE_IOERR_WRITE', after: 'nothing' })).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await runs()).toEqual(['r1', 'r3']);
  });

  it('fail together when their transaction is gone', async () => {
    expect(await openThree({ code: 'SQLITE_FULL', after: 'rolled back' })).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await runs()).toEqual([]);
  });

  it('are all put off, and done once, when a lock is held elsewhere', async () => {
    expect(await openThree({ code: 'SQLITE_BUSY', after: 'nothing' })).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await runs()).toEqual(['r1', 'r2', 'r3']);
    expect(database.statements.filter((text) => text === 'COMMIT')).toHaveLength(1);
  });

  it('all fail on a disk that is gone, and work again when it is back', async () => {
    database.watch((text) => (/^(ROLLBACK|RELEASE)/.test(text) ? null : { code: 'SQLITE_IOERR_READ', after: 'nothing' }));
    const tries = [opened.store.openRun(newRun('r1')), opened.store.listRuns(), opened.store.openRun(newRun('r2'))];
    for (const { status } of await Promise.allSettled(tries)) expect(status).toBe('rejected');
    database.heal();
    await opened.store.openRun(newRun('r1'));
    expect(await runs()).toEqual(['r1']);
  });

  it('wait as long as the lock is held', async () => {
    let refusals = 5;
    database.watch((text) => {
      if (text !== 'BEGIN IMMEDIATE' || refusals === 0) return null;
      refusals -= 1;
      return { code: 'SQLITE_BUSY', after: 'nothing' };
    });
    await Promise.all(['r1', 'r2'].map((runId) => opened.store.openRun(newRun(runId))));
    expect(await runs()).toEqual(['r1', 'r2']);
  });
});

it('a file whose second half is gone is told with exit 8, and is neither mended nor removed', async () => {
  const first = await openIn(root, START_MS);
  const { run, documents } = operationRows();
  await first.store.openRun(run);
  await first.store.addDocuments('r1', documents);
  await first.store.addJobs(
    'r1',
    Array.from({ length: 500 }, (_, seq) => jobOfKey(`j${seq}`, seq, `k${seq}`)),
  );
  await first.close();
  const sizeBytes = statSync(first.path).size;
  truncateSync(first.path, Math.floor(sizeBytes / 2));

  const error: unknown = await readAll().catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: 'UserError', code: 'E22', exitCode: 8, next: [expect.any(String)] });
  expect(error instanceof Error && error.message).toMatch(/cannot be read or written \(SQLITE_(CORRUPT|IOERR)/);
  expect(statSync(first.path).size).toBe(Math.floor(sizeBytes / 2));
});

/** Opens the store and reads what is in it. */
async function readAll(): Promise<void> {
  const { store, clock, close } = await openIn(root, START_MS);
  try {
    await new Bench(store, clock).rows('r1');
    await store.markPlanned('r1');
    await store.finishRun('r1');
  } finally {
    await close();
  }
}
