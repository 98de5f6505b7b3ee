import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { aieval, ended, start } from '../cli/binary.ts';
import { documents, lastRecord, manifest, type Project, project, withoutLinks } from './project.ts';

// Each test starts many processes, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const SIMULATED = { providers: { lab: { type: 'simulated' } } };
const DAY_MS = 86_400_000;

function folder(count: number, parts: object = {}): Project {
  const made = project({ files: { 'manifest.json': manifest('', { ...SIMULATED, ...parts }), ...documents(count) } });
  undo.push(made.remove);
  return made;
}

async function finishedRun(place: Project, ...more: string[]): Promise<string> {
  const { run } = lastRecord((await place.aieval('run', 'manifest.json', '--json', '--new', ...more)).stdout);
  return String(run);
}

const dbOf = ({ dir }: Project): string => join(dir, '.aieval', 'aieval.db');

/** As if the run, and its answers, were so many days older. */
function age(place: Project, runId: string, days: number): void {
  change(place, (db) => {
    db.prepare('UPDATE runs SET created_at_ms = created_at_ms - ?, finished_at_ms = finished_at_ms - ? WHERE run_id = ?').run(
      days * DAY_MS,
      days * DAY_MS,
      runId,
    );
  });
}

function change<T>(place: Project, work: (db: Database.Database) => T): T {
  const db = new Database(dbOf(place));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const violations = (place: Project): unknown[] => change(place, (db) => db.prepare('PRAGMA foreign_key_check').all());

const runIds = (place: Project): string[] =>
  change(place, (db) => db.prepare<[], { id: string }>('SELECT run_id AS id FROM runs ORDER BY created_at_ms').all()).map(({ id }) => id);

const ALL = ['--keep-days', '0', '--keep-runs', '0'];

describe('aieval gc', () => {
  test('removes what is old and not among the newest, with its files; the cache still serves', async () => {
    const place = folder(3);
    const [first, second] = [await finishedRun(place), await finishedRun(place)];
    age(place, first, 40);
    age(place, second, 20);
    const summary = place.read(`.aieval/runs/${second}/summary.md`);
    // Each of the two rules keeps a run alone.
    for (const options of [['--keep-days', '60', '--keep-runs', '0'], ['--keep-days', '0', '--keep-runs', '2'], []]) {
      expect(JSON.parse((await place.aieval('gc', '--dry-run', '--json', ...options)).stdout).removed).toEqual([]);
    }
    const { stdout, exitCode } = await place.aieval('gc', '--keep-days', '30', '--keep-runs', '1', '--yes', '--json');
    expect(exitCode).toBe(0);
    const record = JSON.parse(stdout);
    expect(record).toEqual({
      v: 1,
      dryRun: false,
      removed: [{ run: first, jobs: 3, sizeBytes: expect.any(Number) }],
      cacheEntries: 0,
      unusedRows: 0,
      sizeBytes: record.removed[0].sizeBytes,
    });
    expect(record.sizeBytes).toBeGreaterThan(1000);
    expect(readdirSync(join(place.dir, '.aieval/runs'))).toEqual([second]);
    expect(runIds(place)).toEqual([second]);
    expect(violations(place)).toEqual([]);
    expect((await place.aieval('summary', second)).stdout).toBe(withoutLinks(summary));
    expect((await place.aieval('status', first)).exitCode).toBe(2);
    expect(lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ calls: 0, cacheHits: 3 });
  });

  test('removes answers by age, and what nothing refers to then', async () => {
    const place = folder(3);
    await finishedRun(place);
    change(place, (db) => db.prepare('UPDATE cache SET stored_at_ms = stored_at_ms - ?').run(100 * DAY_MS));
    const args = [...ALL, '--cache-days', '90'];
    const dry = JSON.parse((await place.aieval('gc', '--dry-run', '--json', ...args)).stdout);
    // Of three documents: answer, text, structure, extraction and key record.
    expect(dry).toMatchObject({ dryRun: true, removed: [{ jobs: 3 }], cacheEntries: 3, unusedRows: 15 });
    expect(JSON.parse((await place.aieval('gc', '--yes', '--json', ...args)).stdout)).toEqual({ ...dry, dryRun: false });
    for (const table of ['runs', 'jobs', 'texts', 'structures', 'key_records', 'responses', 'cache']) {
      expect(
        change(place, (db) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
        table,
      ).toBe(0);
    }
    expect((await place.aieval('gc', ...args)).stdout).toBe('Nothing to remove.\n');
    expect(lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout)).toMatchObject({ exitCode: 0, calls: 3 });
  });

  test('asks on a terminal; elsewhere it shows the plan, removes nothing, and says what to type', async () => {
    const place = folder(1);
    const run = await finishedRun(place);
    const { exitCode, stdout, stderr } = await place.aieval('gc', ...ALL);
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(new RegExp(`RUN .*\n${run} +e2e +finished .* 1 .*\nWould remove 1 run and 3 rows that nothing needs \\(`));
    expect(stderr).toContain('nothing was removed');
    expect(stderr).toContain('next: aieval gc --keep-days 0 --keep-runs 0 --yes');
    const json = await place.aieval('gc', ...ALL, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true, removed: [{ run }] });
    expect(runIds(place)).toEqual([run]);
    expect((await place.aieval('gc', ...ALL, '--yes')).stdout).toMatch(/^Removed 1 run and 3 rows/);
    expect((await place.aieval('gc', '--keep-days', '-1')).exitCode).toBe(2);
    expect((await place.aieval('gc', '--keep-runs', '1.5')).exitCode).toBe(2);
  });

  test('never touches an unfinished run', async () => {
    const place = folder(3, { providers: { lab: { type: 'simulated', latencyMs: 400 } }, concurrency: 1 });
    const child = start(['run', 'manifest.json'], { cwd: place.dir });
    const end = ended(child);
    while ((await place.aieval('status', '--json')).exitCode !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    expect((await end).exitCode).toBe(130);
    const [run] = runIds(place);
    expect((await place.aieval('gc', ...ALL, '--yes')).stdout).toBe('Nothing to remove.\n');
    const again = lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout);
    expect(again).toMatchObject({ run, exitCode: 0, jobs: { succeeded: 3 } });
    await place.aieval('gc', ...ALL, '--yes');
    expect(runIds(place)).toEqual([]);
  });

  test('removes only what aieval wrote, and follows no link', async () => {
    const place = folder(1);
    const [first, second, third] = [await finishedRun(place), await finishedRun(place), await finishedRun(place)];
    const runDir = (run: string): string => join(place.dir, '.aieval/runs', run);
    writeFileSync(join(runDir(first), 'notes.txt'), 'mine');
    mkdirSync(join(place.dir, 'precious'));
    writeFileSync(join(place.dir, 'precious', 'summary.md'), 'mine');
    renameSync(join(runDir(second), 'jobs'), join(place.dir, 'jobs-of-second'));
    symlinkSync(join(place.dir, 'precious'), join(runDir(second), 'jobs'));
    renameSync(runDir(third), join(place.dir, 'third'));
    symlinkSync(join(place.dir, 'precious'), runDir(third));
    const { exitCode, stderr } = await place.aieval('gc', ...ALL, '--yes');
    expect(exitCode).toBe(0);
    expect(stderr.match(/note: .* stays: it holds something that aieval did not write/g)).toHaveLength(2);
    expect(stderr).toContain(`note: ${runDir(third)} stays: it is a link`);
    expect(readdirSync(runDir(first))).toEqual(['notes.txt']);
    expect(readdirSync(runDir(second))).toEqual(['jobs']);
    expect(place.read('precious/summary.md')).toBe('mine');
    expect(runIds(place)).toEqual([]);
  });

  test('in a copied project leaves the original alone, and removes the copy of its files', async () => {
    const place = folder(1);
    const run = await finishedRun(place);
    const elsewhere = await finishedRun(place, '--out', 'elsewhere');
    const copy = `${place.dir}-copy`;
    cpSync(place.dir, copy, { recursive: true });
    undo.push(() => rmSync(copy, { recursive: true }));
    const files = readdirSync(place.dir, { recursive: true }).sort();
    const { exitCode, stderr } = await aieval(['gc', ...ALL, '--yes'], { cwd: copy });
    expect(exitCode).toBe(0);
    expect(readdirSync(place.dir, { recursive: true }).sort()).toEqual(files);
    expect(readdirSync(join(copy, '.aieval/runs'))).toEqual([]);
    expect(stderr).toBe(
      `note: ${join(place.dir, 'elsewhere', elsewhere)} stays: it may belong to another database, of which this one is a copy\n`,
    );
    // Moved, the original still knows its own.
    const moved = `${place.dir}-moved`;
    renameSync(place.dir, moved);
    undo.push(() => rmSync(moved, { recursive: true }));
    const gone = await aieval(['gc', ...ALL, '--yes', '--json'], { cwd: moved });
    expect(
      JSON.parse(gone.stdout)
        .removed.map((removed: { run: string }) => removed.run)
        .sort(),
    ).toEqual([run, elsewhere].sort());
    expect(readdirSync(join(moved, '.aieval/runs'))).toEqual([]);
  });

  test('says what to type for the database that was named', async () => {
    const place = folder(1);
    await finishedRun(place);
    renameSync(dbOf(place), join(place.dir, 'my runs.db'));
    const { stderr } = await place.aieval('gc', ...ALL, '--db', 'my runs.db');
    expect(stderr).toContain("next: aieval --db 'my runs.db' gc --keep-days 0 --keep-runs 0 --yes\n");
  });

  test('a run whose files are gone already, or are being written, is no obstacle', async () => {
    const place = folder(1);
    const [gone, busy] = [await finishedRun(place), await finishedRun(place)];
    renameSync(join(place.dir, '.aieval/runs', gone), join(place.dir, 'moved'));
    const lock = new Database(`${dbOf(place)}.workers/${busy}.files`);
    lock.exec('BEGIN EXCLUSIVE');
    const { exitCode, stdout, stderr } = await place.aieval('gc', ...ALL, '--yes', '--json');
    lock.close();
    expect(exitCode).toBe(7);
    expect(stderr).toContain(`warning: run ${busy} stays: another process is writing its files`);
    expect(JSON.parse(stdout).removed).toMatchObject([{ run: gone, sizeBytes: 0 }]);
    expect(runIds(place)).toEqual([busy]);
    expect(existsSync(join(place.dir, '.aieval/runs', busy, 'summary.md'))).toBe(true);
    // The lock of a run goes with it.
    expect(readdirSync(`${dbOf(place)}.workers`)).toEqual([`${busy}.files`]);
  });

  test('killed at any moment and called again, it ends what it began', async () => {
    const place = folder(10);
    const kept = await finishedRun(place);
    const doomed = [await finishedRun(place), await finishedRun(place)];
    for (const run of doomed) age(place, run, 40);
    const runsDir = join(place.dir, '.aieval/runs');
    const jobsDir = join(runsDir, doomed[1] ?? '', 'jobs');
    const summary = place.read(`.aieval/runs/${kept}/summary.md`);
    const child = start(['gc', '--keep-runs', '0', '--yes'], { cwd: place.dir });
    // The first removal has begun; how far it gets is chance.
    while (existsSync(jobsDir)) await new Promise((resolve) => setTimeout(resolve, 1));
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(violations(place)).toEqual([]);
    // A run that is still known is whole in the database, and its files can be made again.
    for (const run of JSON.parse((await place.aieval('gc', '--keep-runs', '0', '--dry-run', '--json')).stdout).removed) {
      expect(run.jobs).toBe(10);
      expect((await place.aieval('summary', run.run)).stdout).toContain('10 pass');
      expect(readdirSync(join(runsDir, run.run, 'jobs'))).toHaveLength(10);
    }
    expect((await place.aieval('gc', '--keep-runs', '0', '--yes')).exitCode).toBe(0);
    expect(runIds(place)).toEqual([kept]);
    expect(readdirSync(runsDir)).toEqual([kept]);
    expect(violations(place)).toEqual([]);
    expect((await place.aieval('summary', kept)).stdout).toBe(withoutLinks(summary));
  });
});
