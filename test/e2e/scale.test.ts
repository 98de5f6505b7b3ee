import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { DOCUMENT, expectError, folder, manifestText } from '../cli/messages/case.ts';
import { Bench, Clock } from '../store/bench.ts';
import { job, newRun, settings, worker } from '../store/rows.ts';
import { options } from '../store/sqlite/open-store.ts';

const place = () => folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });

test('the number stands alone on stdout, and why on stderr', async () => {
  const here = place();
  expect((await here.aieval('run', 'manifest.json')).exitCode).toBe(0);
  expect(await here.aieval('scale')).toEqual({
    exitCode: 0,
    stdout: '0\n',
    stderr: 'nothing is open: 0 workers alive\n0 queued, 0 running\n',
  });
  expect(await here.aieval('scale', '-q', '--min', '2')).toEqual({ exitCode: 0, stdout: '2\n', stderr: '' });
}, 60_000);

test('open work needs one worker to begin with, and those that hold work stay', async () => {
  const here = place();
  const db = join(here.dir, 'jobs.db');
  const clock = Object.assign(new Clock(), { read: Date.now });
  const bench = new Bench(await openStore(db, options(db, Date.now)), clock);
  const scale = async () => JSON.parse((await here.aieval('scale', '--json', '--db', db)).stdout);
  try {
    await bench.store.openRun(newRun('r0'));
    expect(await scale()).toEqual({
      ...{ v: 1, workers: 0, why: 'idle', alive: 0, holding: 0, queued: 0, running: 0, jobMs: null, concurrency: 8, mostRunning: null },
      ...{ targetMinutes: 10, min: 0, max: 10, tags: [], waitingForTags: [] },
    });
    await bench.plan('r1', [job('j1', 0), job('j2', 1), job('j3', 2)]);
    for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
    expect(await scale()).toMatchObject({ workers: 1, why: 'unmeasured', queued: 3 });
    for (const id of ['w1', 'w2']) {
      await bench.store.registerWorker(worker(id));
      await bench.claimed('r1', id);
    }
    expect(await scale()).toMatchObject({ workers: 2, why: 'holding', alive: 2, holding: 2, queued: 1, running: 2 });
  } finally {
    await bench.store.close();
  }
}, 60_000);

test('work that waits for tags is said, with the command that counts it, and counts for workers with these tags only', async () => {
  const here = place();
  const db = join(here.dir, 'jobs.db');
  const clock = Object.assign(new Clock(), { read: Date.now });
  const bench = new Bench(await openStore(db, options(db, Date.now)), clock);
  try {
    const needing = { settings: settings({ requires: { big: ['bravo'] } }) };
    await bench.plan('r1', [job('j1', 0, { task: 'big' }), job('j2', 1, { task: 'big' })], needing);
    for (const id of ['w1', 'w2', 'w3']) await bench.store.removeWorker(id);
    const { stdout, stderr } = await here.aieval('scale', '--db', db);
    expect(stdout).toBe('0\n');
    expect(stderr.replaceAll(db, 'DB')).toBe(
      [
        'nothing is open for workers without tags: 0 workers alive',
        '0 queued, 0 running',
        '2 more wait for tags bravo, which no living worker has: aieval --db DB scale --tags bravo',
        '',
      ].join('\n'),
    );
    await bench.store.registerWorker({ ...worker('w1'), tags: ['bravo'] });
    const plain = await here.aieval('scale', '--db', db, '--json');
    expect(JSON.parse(plain.stdout)).toMatchObject({
      ...{ workers: 0, why: 'idle', alive: 0, queued: 0 },
      waitingForTags: [{ tags: ['bravo'], count: 2, alive: 1 }],
    });
    const tagged = await here.aieval('scale', '--db', db, '--tags', 'bravo');
    expect(tagged).toMatchObject({
      stdout: '1\n',
      stderr: 'no call of what is open was timed yet: 1 worker with tags bravo alive\n2 queued, 0 running\n',
    });
  } finally {
    await bench.store.close();
  }
}, 60_000);

test('a folder without runs, and bounds that exclude each other, are errors', async () => {
  const here = folder();
  expect(await here.aieval('scale')).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('error[E30]') });
  await expectError(here, ['scale', '--min', '5', '--max', '3'], {
    exitCode: 2,
    lines: ['error[E00]: --min 5 is above --max 3', 'next: aieval scale --min 5 --max 5'],
  });
  expect(await here.aieval('scale', '--target', '0')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--target') });
}, 60_000);
