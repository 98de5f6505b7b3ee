import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { document, job, jobOfKey, newRun, settings } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const LOOPS = fileURLToPath(new URL('../contention/loops.mjs', import.meta.url));
const POISON = 'key of j17';
/** Far longer than the test: what a dead process held is taken over because its lock is free. */
const LEASE = { ttlMs: 600_000, beatMs: 150_000, deadlineMs: 1_800_000 };
const JOBS = 40;
const LOOPS_EACH = 8;
const MOST_STARTS = 10;

// Charges are forgotten at a key's success, so they are written down as they are made.
const NOTE_CHARGES = `
CREATE TABLE charges (key TEXT NOT NULL) STRICT;
CREATE TRIGGER charge_added AFTER INSERT ON keys WHEN new.losses > 0 BEGIN INSERT INTO charges VALUES (new.key); END;
CREATE TRIGGER charge_counted AFTER UPDATE ON keys WHEN new.losses > old.losses BEGIN INSERT INTO charges VALUES (new.key); END;`;

let opened: SqliteBench;
beforeEach(async () => {
  opened = await openTempStore(Date.now, { newToken: randomUUID });
});
afterEach(() => opened.dispose());

async function plan(jobs: Parameters<SqliteBench['store']['addJobs']>[1]): Promise<void> {
  const { store } = opened;
  await store.openRun(newRun('r1', { settings: settings({ lease: LEASE }) }));
  await store.addDocuments('r1', [document('a.md')]);
  await store.addJobs('r1', jobs);
  await store.markPlanned('r1');
}

/** How the process ended: its exit code, or the signal. */
async function worked(options: object): Promise<unknown> {
  const child = spawn(process.execPath, [LOOPS, opened.path, 'r1', randomUUID(), JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}

describe('a job that kills its process, among 39 others at concurrency 8', () => {
  it('ends as worker_lost after three deaths; the others succeed, and none of them is charged more than once', async () => {
    await plan(Array.from({ length: JOBS }, (_, seq) => job(`j${seq}`, seq)));
    opened.db.exec(NOTE_CHARGES);
    const ends: unknown[] = [];
    while (ends.at(-1) !== 0 && ends.length < MOST_STARTS) ends.push(await worked({ loops: LOOPS_EACH, mostMs: 40, poison: POISON }));
    expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 0]);
    const rows = await opened.store.jobRows('r1', { after: -1, limit: JOBS });
    expect(rows.filter(({ state }) => state === 'succeeded')).toHaveLength(JOBS - 1);
    expect(rows.filter(({ state }) => state !== 'succeeded')).toMatchObject([
      { jobId: 'j17', state: 'failed', error: { reason: 'worker_lost' } },
    ]);
    expect(chargesOf(POISON)).toBe(3);
    // The first death is charged to all that were held, the others to the suspect alone.
    expect(chargesOf()).toBeLessThanOrEqual(3 + LOOPS_EACH - 1);
    expect(opened.db.prepare('SELECT key FROM charges WHERE key <> ? GROUP BY key HAVING count(*) > 1').all(POISON)).toEqual([]);
    // Only what was in flight at a death is called again.
    const calls = rows.filter(({ jobId }) => jobId !== 'j17').map((row) => row.calls);
    expect(calls.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(JOBS - 1 + 3 * (LOOPS_EACH - 1));
  });

  const chargesOf = (key = '%') => opened.db.prepare('SELECT count(*) FROM charges WHERE key LIKE ?').pluck().get(key);
});

describe('ten twins of a bad prompt, worked on by three processes, pay what one pays', () => {
  it.each([
    { answer: 'permanent', calls: 1, jobs: { failed: 10 }, reason: 'bad_request' },
    { answer: 'transient', calls: 3, jobs: { failed: 10 }, reason: 'server_error' },
    { answer: 'invalid', calls: 2, jobs: { succeeded: 10 }, reason: null },
  ])('$answer: $calls calls', async ({ answer, calls, jobs, reason }) => {
    await plan(Array.from({ length: 10 }, (_, seq) => jobOfKey(`j${seq}`, seq, 'bad')));
    expect(await Promise.all([1, 2, 3].map(() => worked({ answer, together: 3, mostMs: 100 })))).toEqual([0, 0, 0]);
    expect(await opened.store.runTotals('r1')).toMatchObject({ jobs, calls });
    const rows = await opened.store.jobRows('r1', { after: -1, limit: 10 });
    expect(new Set(rows.map((row) => row.error?.reason ?? null))).toEqual(new Set([reason]));
  });
});
