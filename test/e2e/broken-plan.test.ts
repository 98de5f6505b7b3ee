import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { type Ended, ended, start } from '../cli/binary.ts';
import type { ScriptedServer } from '../providers/scripted-server.ts';
import { schemaUrl } from '../store/postgres/server.ts';
import { gatedServer, until } from './gated-server.ts';
import { documents, lastRecord, manifest, type Project, project } from './project.ts';

// Each test starts many processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** More than are enqueued at one go, several times over. */
const JOBS = 1080;
/** So many are. */
const FIRST = 500;

const CHECK = { type: 'contains', text: 'Device' };

type Scene = { readonly server: ScriptedServer; readonly place: Project; readonly run: () => Running };
type Running = {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly end: Promise<Ended>;
  readonly isOver: () => boolean;
  readonly said: () => string;
};

async function scene(env: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const server = await gatedServer(Number.POSITIVE_INFINITY);
  const task = { prompt: '{{document}} Quote it.', output: { format: 'text' }, checks: [CHECK], repeats: 20 };
  const tasks = Object.fromEntries(Array.from({ length: 18 }, (_, n) => [`t${n}`, { ...task, prompt: `${task.prompt} ${n}` }]));
  const other = { name: 'other', documents: ['docs/01.md'], maxQueueDepth: 5 };
  const files = {
    ...documents(3),
    'manifest.json': manifest(server.baseUrl, { tasks, concurrency: 8 }),
    'other.json': manifest(server.baseUrl, other),
  };
  const place = project({ files, env });
  undo.push(place.remove, server.close);
  const run = (): Running => {
    const child = start(['run', 'manifest.json'], { cwd: place.dir, env });
    const end = ended(child);
    const isOver = () => child.exitCode !== null;
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (piece: string) => {
        text += piece;
      });
    }
    undo.push(async () => {
      child.kill('SIGKILL');
      await end;
    });
    return { signal: (signal) => void child.kill(signal), end, isOver, said: () => text };
  };
  return { server, place, run };
}

/** A store in a file of which jobs are added slowly after the first that are added at one go. Returns the database. */
async function slowStore({ dir, aieval }: Project, stepsPerJob: number): Promise<Database> {
  expect((await aieval('run', 'other.json')).exitCode).toBe(0);
  const db = new BetterSqlite3(join(dir, '.aieval', 'aieval.db'), { timeout: 60_000 });
  undo.push(() => void db.close());
  db.exec(`CREATE TRIGGER slow BEFORE INSERT ON jobs WHEN new.seq >= ${FIRST} BEGIN
    SELECT count(*) FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${stepsPerJob}) SELECT i FROM n);
  END`);
  return db;
}

async function untilBegun(db: Database, { isOver }: Running): Promise<void> {
  const begun = db.prepare('SELECT 1 FROM jobs WHERE seq > 1');
  await until(() => begun.get() !== undefined || isOver());
}

/** Lets nobody write once somebody is there who plans. Returns the way back. */
async function holdPlanner(db: Database): Promise<() => void> {
  await until(() => {
    db.exec('BEGIN IMMEDIATE');
    if (db.prepare('SELECT 1 FROM workers WHERE plans = 1').get() !== undefined) return true;
    db.exec('ROLLBACK');
    return false;
  });
  return () => void db.exec('ROLLBACK');
}

type Status = { readonly run: { readonly id: string; readonly state: string }; readonly plan: { readonly enqueued: number } | null };

/** Where nothing can go on, and once the first signal was heard. */
async function stopTwice({ signal, said, end }: Running): Promise<void> {
  signal('SIGINT');
  await until(() => said().includes('stopping'));
  signal('SIGINT');
  expect((await end).exitCode).toBe(130);
}

async function statusOf({ aieval }: Project): Promise<Status> {
  return JSON.parse((await aieval('status', '--json')).stdout);
}

test('a plan that was killed half-way is told as that by all, holds no worker, and is taken up by the same command', async () => {
  const { server, place, run } = await scene();
  const db = await slowStore(place, 1e15);
  const asked = server.requests.length;
  const first = run();
  await untilBegun(db, first);
  const living = await statusOf(place);
  expect(living).toMatchObject({ run: { state: 'running' }, plan: { enqueued: FIRST, of: JOBS, going: true } });
  const enqueued = FIRST;
  expect((await place.aieval('status')).stdout).toContain(` plan: ${enqueued} of ${JOBS} jobs enqueued so far\n`);
  first.signal('SIGKILL');
  await first.end;
  db.exec('DROP TRIGGER slow');

  const { id } = living.run;
  const killed = { run: { state: 'interrupted', verdict: 'incomplete' }, plan: { enqueued, of: JOBS, going: false } };
  expect(await statusOf(place)).toMatchObject(killed);
  const { stdout } = await place.aieval('status');
  expect(stdout).toContain(` plan: broke off at ${enqueued} of ${JOBS} jobs; `);
  expect(stdout).toContain(` 0/${JOBS} jobs (0%)`);
  expect(stdout).toContain(' next: aieval run manifest.json\n');
  expect((await place.aieval('status', '--all')).stdout).toContain(` 0/${JOBS} `);
  expect(JSON.parse((await place.aieval('scale', '--json')).stdout)).toMatchObject({ queued: enqueued });
  const full = await place.aieval('run', 'other.json');
  expect(full).toMatchObject({ exitCode: 7, stderr: expect.stringContaining(`${JOBS} jobs wait or run (${id}: ${JOBS}), and 1 more`) });
  expect(full.stderr).toContain(`aieval cancel ${id}`);

  const worker = await place.aieval('worker', '--exit-when-idle');
  expect(worker.exitCode).toBe(3);
  expect(worker.stdout + worker.stderr).toMatch(new RegExp(`INCOMPLETE  ${id} · ${enqueued} of ${JOBS} jobs enqueued \\(\\d+ results: `));
  expect(worker.stderr).toContain(`run ${id} is left: it is enqueued in part only`);
  expect(worker.stderr).toContain(`${enqueued} of ${JOBS} jobs are in\nnext: aieval run manifest.json\n`);
  expect(server.requests).toHaveLength(asked + enqueued);
  // One that is for this run alone does not stay for it either.
  expect(await place.aieval('worker', id)).toMatchObject({ exitCode: 3 });

  const again = await place.aieval('run', 'manifest.json', '--json');
  expect(lastRecord(again.stdout)).toMatchObject({ run: id, exitCode: 0, plan: null, jobs: { total: JOBS, succeeded: JOBS } });
  expect(server.requests).toHaveLength(asked + JOBS);
  expect((await statusOf(place)).plan).toBeNull();
});

test('Ctrl-C ends a start that enqueues between two batches, with true words; a second one waits for nobody', async () => {
  const { server, place, run } = await scene();
  const db = await slowStore(place, 100_000);
  const asked = server.requests.length;
  const first = run();
  await untilBegun(db, first);
  first.signal('SIGINT');
  const { exitCode, stdout, stderr } = await first.end;
  const { run: left, plan } = await statusOf(place);
  expect(exitCode).toBe(130);
  expect(plan).toMatchObject({ of: JOBS, going: false });
  expect(plan?.enqueued).toBeLessThan(JOBS);
  const told = stdout + stderr;
  expect(told).toMatch(
    new RegExp(`INTERRUPTED  ${left.id} · ${plan?.enqueued} of ${JOBS} jobs enqueued \\(.*0 pass, 0 fail\\)    exit 130\n`),
  );
  expect(told).toMatch(/ not enqueued +the plan broke off +→ aieval run manifest\.json\n/);
  expect(told).not.toContain('Saved');

  const second = run();
  const release = await holdPlanner(db);
  await stopTwice(second);
  release();
  expect(server.requests).toHaveLength(asked);
  expect((await statusOf(place)).run.id).toBe(left.id);
});

test('on a server, too, a plan that broke off holds no worker, and a second Ctrl-C waits for nobody', async () => {
  const schema = `plan_${process.pid}`;
  const store = await schemaUrl(schema);
  const url = new URL(store);
  url.searchParams.delete('schema');
  const db = new Client({ connectionString: url.href });
  await db.connect();
  undo.push(async () => {
    await db.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await db.end();
  });
  const { server, place, run } = await scene({ AIEVAL_STORE: store });
  // The store is there before the run whose jobs are held back.
  expect((await place.aieval('run', 'other.json')).exitCode).toBe(0);
  const asked = server.requests.length;
  await db.query('SELECT pg_advisory_lock(77)');
  await db.query(`CREATE FUNCTION "${schema}".hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF NEW.seq >= 600 THEN PERFORM pg_advisory_xact_lock_shared(77); END IF; RETURN NEW; END'`);
  await db.query(`CREATE TRIGGER hold BEFORE INSERT ON "${schema}".jobs FOR EACH ROW EXECUTE FUNCTION "${schema}".hold()`);
  const isHeld = async () => (await db.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted`)).rowCount;

  const killed = run();
  await until(async () => (await isHeld()) === 1);
  expect(await statusOf(place)).toMatchObject({ run: { state: 'running' }, plan: { enqueued: 500, of: JOBS, going: true } });
  killed.signal('SIGKILL');
  await killed.end;
  await db.query('SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = $1 AND objid = 77 AND NOT granted', ['advisory']);
  // As if the time had passed after which a silent planner is taken for gone.
  await db.query(`UPDATE "${schema}".workers SET beat_at_ms = beat_at_ms - 60000`);
  const broken = { run: { state: 'interrupted' }, plan: { enqueued: 500, of: JOBS, going: false } };
  expect(await statusOf(place)).toMatchObject(broken);
  const worker = await place.aieval('worker', '--exit-when-idle');
  expect(worker).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('500 of 1080 jobs are in\nnext: aieval run manifest.json') });

  const stopped = run();
  await until(async () => (await isHeld()) === 1);
  await stopTwice(stopped);
  expect(await statusOf(place)).toMatchObject(broken);
  expect(server.requests).toHaveLength(asked + 500);
});
