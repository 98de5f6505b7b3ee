import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { Bench, Clock } from '../../bench.ts';
import { jobOfKey, lane, RETRY, settings } from '../../rows.ts';
import { type PostgresBench, TestSchemas } from '../open-store.ts';
import { expectSound } from '../sound.ts';

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url));
const JOBS = 150;
const KEYS = 100;
const BLOWS = 12;
/** Short, so that what the dead held is soon taken; many losses are allowed, because here they are nobody's fault. */
const LEASE = { ttlMs: 2000, beatMs: 200, deadlineMs: 60_000 };

const schemas = new TestSchemas();
afterAll(() => schemas.drop());

let folder: string;
let bills: string;
let opened: PostgresBench;
const workers: ChildProcess[] = [];
let started = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-kill-'));
  bills = join(folder, 'bills');
  writeFileSync(bills, '');
  opened = await schemas.open(Date.now);
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await opened.dispose();
  rmSync(folder, { recursive: true });
});

function start(): void {
  started += 1;
  const worker = spawn(process.execPath, [WORKER, opened.location, 'r1', `p${started}`, bills], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  workers.push(worker);
  worker.once('exit', () => workers.splice(workers.indexOf(worker), 1));
}

/** Until one of them works. */
async function settledMore(): Promise<void> {
  const count = async () => (await opened.db.query(`SELECT 1 FROM jobs WHERE state = 'succeeded'`)).rowCount ?? 0;
  const before = await count();
  while (before < JOBS && (await count()) === before && workers.length > 0) await pause(50);
}

type CallRow = { readonly token: string; readonly state: string; readonly key: string };

it('processes that are killed, and whose connections break, lose no work, and pay twice only for what was in flight', {
  timeout: 600_000,
}, async () => {
  const bench = new Bench(opened.store, new Clock());
  const jobs = Array.from({ length: JOBS }, (_, seq) => jobOfKey(`j${seq}`, seq, `k${seq % KEYS}`));
  const patient = settings({ lease: LEASE, retry: { ...RETRY, attempts: 1000, lostLeases: 1000 } });
  await bench.plan('r1', jobs, { lanes: [lane({ concurrency: 5 })], settings: patient });
  for (let i = 0; i < 3; i += 1) start();
  for (let blow = 0; blow < BLOWS; blow += 1) {
    await settledMore();
    if (blow % 4 === 3) expect(await opened.endConnections()).toBeGreaterThan(0);
    else workers[0]?.kill('SIGKILL');
    await expectSound(opened.db);
    start();
  }
  while (workers.length > 0) await pause(100);

  await expectSound(opened.db);
  expect((await opened.store.runTotals('r1')).jobs).toMatchObject({ total: JOBS, succeeded: JOBS });
  const billed = readFileSync(bills, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const calls = (
    await opened.db.query<CallRow>('SELECT c.call_token AS token, c.state, s.key FROM calls c JOIN steps s ON s.step_id = c.step_id')
  ).rows;
  // What was paid stands in the ledger, once, with its cost or as uncertain.
  const known = new Set(calls.filter(({ state }) => state === 'settled' || state === 'unknown').map(({ token }) => token));
  expect(billed.map(([token]) => token).filter((token) => token === undefined || !known.has(token))).toEqual([]);
  expect(new Set(billed.map(([token]) => token)).size).toBe(billed.length);
  // A key is paid again only when a lease of it was lost.
  const lost = (
    await opened.db.query<{ key: string }>(`SELECT s.key FROM attempts a JOIN steps s USING (step_id) WHERE a.outcome = 'lost'`)
  ).rows;
  const times = (list: readonly (string | undefined)[], key: string) => list.filter((other) => other === key).length;
  const keys = billed.map(([, key]) => key);
  const losses = lost.map(({ key }) => key);
  const tooOften = [...new Set(keys)].filter((key) => key !== undefined && times(keys, key) > 1 + times(losses, key));
  expect(tooOften).toEqual([]);
  console.log(`kill test: ${started} processes, ${billed.length} calls for ${KEYS} questions, ${losses.length} leases lost`);
  expect(started).toBe(BLOWS + 3);
});
