import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { document, job, newRun, settings } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const LOOPS = fileURLToPath(new URL('./loops.mjs', import.meta.url));
const HOLD_MS = 5000;
/** Four times the hold: a beat that were put off to its end would still come in time, one that gave up would not. */
const LEASE = { ttlMs: 20_000, beatMs: 2000, deadlineMs: 1_800_000 };
const MEMORY = '/dev/shm';

type Worked = { readonly calls: number; readonly longestMs: number; readonly tookMs: number };

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('processes that write one file at the same time', () => {
  let opened: SqliteBench;
  beforeEach(async () => {
    // Who waits for whom is the question, not the disk; where there is no such folder it takes longer.
    vi.stubEnv('TMPDIR', existsSync(MEMORY) ? MEMORY : tmpdir());
    opened = await openTempStore(Date.now);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await opened.dispose();
  });

  async function plan(jobs: number): Promise<void> {
    await opened.store.openRun(newRun('r1', { settings: settings({ lease: LEASE }) }));
    await opened.store.addDocuments('r1', [document('a.md')]);
    const rows = Array.from({ length: jobs }, (_, seq) => job(`j${seq}`, seq));
    await opened.store.addJobs('r1', rows);
    await opened.store.markPlanned('r1');
  }

  /** Works until the run is drained. Rejects with what the process wrote on stderr when it failed. */
  function work(workerId: string, together: number): Promise<Worked> {
    const child = spawn(process.execPath, [LOOPS, opened.path, 'r1', workerId, JSON.stringify({ together })]);
    const written = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (written.stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (written.stderr += String(chunk)));
    return new Promise((resolve, reject) => {
      child.on('close', (code) => (code === 0 ? resolve(JSON.parse(written.stdout)) : reject(new Error(written.stderr))));
    });
  }

  const startAll = (count: number) => Promise.all(Array.from({ length: count }, (_, i) => work(`p${i}`, count)));

  /** Takes the write lock in the middle of the work and keeps it. */
  async function holdLock(afterCalls: number): Promise<void> {
    while ((await opened.store.runTotals('r1')).calls < afterCalls) await pause(100);
    const holder = new BetterSqlite3(opened.path, { timeout: 60_000 });
    holder.exec('BEGIN IMMEDIATE');
    await pause(HOLD_MS);
    holder.exec('COMMIT');
    holder.close();
  }

  it('hear nothing of it: 16 × 2,000 steps, a lock held for 5 s meanwhile, no error, no step doubled, no lease lost', async () => {
    const jobs = 16 * 2000;
    await plan(jobs);
    const [worked] = await Promise.all([startAll(16), holdLock(jobs / 4)]);
    expect(worked.reduce((sum, { calls }) => sum + calls, 0)).toBe(jobs);
    expect(await opened.store.runTotals('r1')).toMatchObject({ jobs: { total: jobs, succeeded: jobs }, calls: jobs, attempts: jobs });
    const odd = opened.db.prepare(`SELECT outcome, count(*) AS count FROM attempts WHERE outcome <> 'succeeded' GROUP BY outcome`).all();
    expect(odd).toEqual([]);
  }, 600_000);

  it('take turns: nobody waits for a sixth of the whole time', async () => {
    await plan(1200);
    const worked = await startAll(4);
    expect(worked.reduce((sum, { calls }) => sum + calls, 0)).toBe(1200);
    expect(Math.max(...worked.map(({ longestMs, tookMs }) => longestMs / tookMs))).toBeLessThan(1 / 6);
  }, 120_000);
});
