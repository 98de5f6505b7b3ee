import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResolvedManifest } from '../../src/domain/manifest/resolved.ts';
import { judge, merge, parse, seek } from '../../src/engine/pool-worker.ts';
import { writeJobArtifacts, writePendingArtifacts, writeRunFiles } from '../../src/engine/projections.ts';
import { workRun } from '../../src/engine/run-work.ts';
import { rebuildFiles } from '../../src/engine/unwritten.ts';
import type { Store } from '../../src/store/store.ts';
import { Bench, START_MS } from '../store/bench.ts';
import { completion, document, jobOfKey, newRun, sha256, worker } from '../store/rows.ts';
import { inPairs } from '../store/sqlite/crash/deaths.ts';
import { expectSound } from '../store/sqlite/crash/invariants.ts';
import { openIn } from '../store/sqlite/crash/open-file.ts';
import { ASKING } from './asking.ts';

const SCRIPT = fileURLToPath(new URL('./dying-worker.mjs', import.meta.url));
const LIMIT_MS = 120_000;
const VERSION = '0.1.0';

const { task } = ASKING.tasks;
if (task === undefined) throw new Error('the sample manifest has no task');
const WORKED: ResolvedManifest = {
  ...ASKING,
  tasks: {
    task: {
      ...task,
      output: { format: 'json', schema: { required: ['findings'] }, strict: true, reask: 1 },
      checks: [{ id: 'count', type: 'count', at: '/findings', severity: 'must', where: null, min: null, max: 3 }],
    },
  },
};

/** Four jobs over three keys. */
const KEYS = ['k1', 'k1', 'k3', 'k4'];

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'aieval-worker-deaths-'));
  const opened = await openIn(join(root, 'planned'), START_MS);
  const bench = new Bench(opened.store, opened.clock);
  await opened.store.openRun(newRun('r1', { manifest: WORKED, outDir: '/set/below' }));
  await opened.store.addDocuments('r1', [document('a.md')]);
  await opened.store.addJobs(
    'r1',
    KEYS.map((key, seq) => jobOfKey(`j${seq}`, seq, key, { textSha256: sha256('text of a.md') })),
  );
  await bench.store.markPlanned('r1');
  await opened.close();
});
afterEach(() => rmSync(root, { recursive: true }));

type Died = { readonly folder: string; readonly begun: readonly string[]; readonly stored: readonly string[] };

/** A process works on a copy of the planned run and dies at the point. */
async function die(point: string, number: number): Promise<Died> {
  const { folder, signal } = await work(point, number);
  expect([point, number, signal]).toEqual([point, number, 'SIGKILL']);
  const lines = readFileSync(join(folder, 'calls.log'), 'utf8').split('\n');
  const tokens = (what: string) => lines.filter((line) => line.startsWith(what)).map((line) => line.slice(what.length + 1));
  return { folder, begun: tokens('begin'), stored: tokens('stored') };
}

/** How often a process that lives comes by each point. */
async function lengths(): Promise<Readonly<Record<string, number>>> {
  return JSON.parse((await work('none', 0)).stdout);
}

async function work(point: string, number: number): Promise<{ folder: string; stdout: string; signal: string | null }> {
  const folder = join(root, `${point}-${number}`);
  cpSync(join(root, 'planned'), folder, { recursive: true });
  const { store, close } = await openIn(folder, START_MS);
  await store.openRun(newRun('r2', { identity: 'identity of r1', manifest: WORKED, outDir: join(folder, 'out'), moveOut: true }));
  await close();
  writeFileSync(join(folder, 'rows.json'), JSON.stringify({ completion: completion(), worker: worker('victim'), nowMs: START_MS }));
  writeFileSync(join(folder, 'calls.log'), '');
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [SCRIPT, folder, point, String(number)], (error, stdout, stderr) => {
      if (error !== null && error.signal !== 'SIGKILL') reject(new Error(`it ended by itself: ${stderr}`));
      else resolve({ folder, stdout, signal: child.signalCode });
    });
  });
}

/** An honest process does the rest. Returns the tokens of the calls that it made. */
async function workOn(store: Store): Promise<readonly string[]> {
  const run = await store.getRun('r1');
  if (run === null) throw new Error('The run is gone');
  const calls: string[] = [];
  const provider = {
    complete: async ({ callToken }: { callToken: string }) => {
      calls.push(callToken);
      return completion();
    },
    preflight: async () => null,
    close: async () => undefined,
  };
  await workRun({
    store,
    run,
    worker: worker('last'),
    pool: {
      size: 1,
      extract: () => Promise.reject(new Error('There is nothing to extract')),
      parse: async (task) => parse(task),
      merge: async (task) => merge(task),
      judge: async (task) => judge(task),
      seek: async (task) => seek(task),
      close: async () => undefined,
    },
    providers: { get: async () => provider, close: async () => undefined },
    concurrency: 2,
    wait: false,
    signals: { stop: new AbortController().signal, now: new AbortController().signal },
    onEvent: () => undefined,
    now: () => START_MS,
    inFlight: { count: 0 },
    project: (record) => writeJobArtifacts({ store, run, version: VERSION }, record),
  });
  const ended = { store, run: (await store.getRun('r1')) ?? run, version: VERSION };
  await writePendingArtifacts(ended);
  await writeRunFiles(ended);
  return calls;
}

/** The files below a folder and what they hold; what has a dot before its name was never finished. */
function filesBelow(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile() && !file.name.startsWith('.'));
  return Object.fromEntries(files.map(({ parentPath, name }) => join(parentPath, name)).map((path) => [path, readFileSync(path, 'utf8')]));
}

const KEY_OF_CALL = `SELECT s.key FROM calls c JOIN steps s USING (step_id) WHERE c.call_token = ? AND c.state IN ('settled', 'unknown')`;

/** The keys of these calls, by the ledger, which must know them all. */
function keysOf(db: Database, tokens: readonly string[]): readonly string[] {
  const find = db.prepare<[string], string>(KEY_OF_CALL).pluck();
  return tokens.map((token) => find.get(token) ?? `call ${token} is not in the ledger`);
}

/** The rest of the run after a death, and all that must hold then. Returns the keys that were called twice. */
async function expectRecovery({ folder, begun, stored }: Died): Promise<readonly string[]> {
  const { store, clock, db, close } = await openIn(folder, START_MS);
  const later = await workOn(store);
  const finished = await store.finishRun('r1');
  expect(finished).toBe(false);
  expect(await store.getRun('r1')).toMatchObject({ state: 'finished' });
  expect(await store.runTotals('r1')).toMatchObject({ jobs: { total: 4, succeeded: 4 }, results: { pass: 4 } });
  await expectSound(db, new Bench(store, clock), ['r1']);
  const [first, second] = [keysOf(db, begun), keysOf(db, later)];
  expect(new Set([...first, ...second])).toEqual(new Set(KEYS));
  const inFlight = keysOf(
    db,
    begun.filter((token) => !stored.includes(token)),
  );
  const repeated = second.filter((key) => first.includes(key));
  expect(inFlight).toEqual(expect.arrayContaining([...repeated]));
  expect([new Set(first).size, new Set(second).size]).toEqual([first.length, second.length]);
  await expectWholeFiles(folder, store);
  await close();
  return [...repeated].sort();
}

/** Nothing is unwritten, and what is written is what the rows say: the same bytes as of files that are all made anew. */
async function expectWholeFiles(folder: string, store: Store): Promise<void> {
  expect([await store.runsWithoutSummary(), await store.jobsWithoutArtifacts('r1', 10)]).toEqual([[], []]);
  const outDir = join(folder, 'out');
  const files = filesBelow(outDir);
  rmSync(outDir, { recursive: true });
  const run = await store.getRun('r1');
  if (run === null) throw new Error('The run is gone');
  await rebuildFiles({ store, run, version: VERSION }, (message) => expect(message).toBe(''));
  expect(files).toEqual(filesBelow(outDir));
  expect(Object.keys(files).length).toBeGreaterThan(KEYS.length * 2);
}

describe('a worker that dies', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

  /** For each death at the point, how many calls were made again. */
  async function repeats(point: string, every = 1): Promise<number[]> {
    const count = (await lengths())[point] ?? 0;
    const made: number[] = [];
    await inPairs(
      numbers(count).filter((number) => (number - 1) % every === 0),
      async (number) => {
        made.push((await expectRecovery(await die(point, number))).length);
      },
    );
    expect(made.length).toBeGreaterThan(0);
    return made;
  }

  it.each([
    ['after "sent" is durable, before the request leaves', 'sent', 1],
    ['in the middle of a request', 'request', 1],
    ['in the middle of an answer', 'stream', 5],
    ['after the last byte, before the answer is stored', 'last byte', 1],
  ])('%s: only calls in flight are made again', { timeout: LIMIT_MS }, async (_, point, every) => {
    for (const repeated of await repeats(point, every)) expect(repeated).toBeLessThanOrEqual(2);
  });

  it.each([
    ['after its answer is stored', 'stored'],
    ['after its step is settled', 'settled'],
  ])('%s: that call is never made again', { timeout: LIMIT_MS }, async (_, point) => {
    // At most the other one of two calls in flight.
    for (const repeated of await repeats(point)) expect(repeated).toBeLessThanOrEqual(1);
  });

  it('while it writes files: they are whole in the end', { timeout: LIMIT_MS }, async () => {
    for (const repeated of await repeats('file', 3)) expect(repeated).toBeLessThanOrEqual(2);
  });
});
