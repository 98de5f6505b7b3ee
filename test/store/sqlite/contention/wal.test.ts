import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Store } from '../../../../src/store/store.ts';
import { start } from '../../../cli/binary.ts';
import { document, job, newRun } from '../../rows.ts';
import { openTempStore, type SqliteBench } from '../open-store.ts';

const LOOPS = fileURLToPath(new URL('./loops.mjs', import.meta.url));
const MEMORY = '/dev/shm';
/** Each makes five commits. */
const JOBS = 6000;
/** A checkpoint is due at 4 MB. What is written during one stands behind it, so twice that is common. */
const BOUND_BYTES = 16 * 1024 * 1024;
const SAMPLE_MS = 20;
const LOOK_EVERY_MS = 50;

let opened: SqliteBench;
const children: ChildProcess[] = [];
beforeEach(async () => {
  // How the log grows does not depend on the disk; the time that the commits take does.
  vi.stubEnv('TMPDIR', existsSync(MEMORY) ? MEMORY : tmpdir());
  opened = await openTempStore(Date.now);
  await opened.store.openRun(newRun('r1'));
  await opened.store.addDocuments('r1', [document('a.md')]);
  await opened.store.addJobs(
    'r1',
    Array.from({ length: JOBS }, (_, seq) => job(`j${seq}`, seq)),
  );
  await opened.store.markPlanned('r1');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  vi.unstubAllEnvs();
  await opened.dispose();
});

/** Looks at the run again and again, as a second terminal does, but oftener. */
async function look(store: Store, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    await store.runTotals('r1');
    await pause(LOOK_EVERY_MS);
  }
}

/** The longest that the log was, until the signal. */
async function longestLog(until: AbortSignal): Promise<number> {
  let longest = 0;
  while (!until.aborted) {
    longest = Math.max(longest, statSync(`${opened.path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    await pause(SAMPLE_MS);
  }
  return longest;
}

it('the log stays bounded over 30,000 commits while a status is watched and two readers look on', async () => {
  const done = new AbortController();
  const watcher = start(['--db', opened.path, 'status', '--watch', '--interval', '0.2', '--json'], { cwd: opened.folder });
  const looks: string[] = [];
  watcher.stdout?.on('data', (chunk) => looks.push(String(chunk)));
  const writer = spawn(process.execPath, [LOOPS, opened.path, 'r1', 'p1', '{"loops":1}'], { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(watcher, writer);
  const readers = [await opened.another(), await opened.another()].map((store) => look(store, done.signal));
  const longest = longestLog(done.signal);
  const [code] = await once(writer, 'close');
  done.abort();
  await Promise.all(readers);
  expect(code).toBe(0);
  expect((await opened.store.runTotals('r1')).jobs.succeeded).toBe(JOBS);
  expect(looks.length).toBeGreaterThan(2);
  expect(await longest).toBeLessThan(BOUND_BYTES);
}, 240_000);
