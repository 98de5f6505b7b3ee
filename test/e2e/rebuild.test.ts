import { spawn } from 'node:child_process';
import { existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { BINARY, ended, start } from '../cli/binary.ts';
import { documents, lastRecord, manifest, type Project, project, withoutLinks } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** A finished run of simulated answers. */
async function finished(count: number): Promise<{ readonly place: Project; readonly runDir: string }> {
  const parts = { providers: { lab: { type: 'simulated' } } };
  const place = project({ files: { 'manifest.json': manifest('', parts), ...documents(count) } });
  undo.push(place.remove);
  const { run } = lastRecord((await place.aieval('run', 'manifest.json', '--json')).stdout);
  return { place, runDir: `.aieval/runs/${run}` };
}

/** As it is after a kill between the run's end and its files. */
function forgetFiles({ dir }: Project): void {
  const database = new Database(join(dir, '.aieval', 'aieval.db'));
  database.exec('UPDATE runs SET summary_at_ms = NULL; UPDATE jobs SET artifacts_at_ms = NULL');
  database.close();
}

describe('the files of a run', () => {
  test('that died before it wrote them are written by the next run', async () => {
    const { place, runDir } = await finished(3);
    const [summary, results] = [place.read(`${runDir}/summary.md`), place.read(`${runDir}/results.jsonl`)];
    forgetFiles(place);
    for (const name of ['summary.md', 'results.jsonl', 'jobs']) rmSync(join(place.dir, runDir, name), { recursive: true });
    expect((await place.aieval('run', 'manifest.json')).exitCode).toBe(0);
    expect(place.read(`${runDir}/summary.md`)).toBe(summary);
    expect(place.read(`${runDir}/results.jsonl`)).toBe(results);
  });

  test('are rebuilt by summary, byte for byte, when the folder is gone', async () => {
    const { place, runDir } = await finished(2);
    const files = ['summary.md', 'results.jsonl', 'manifest.resolved.json'];
    const before = files.map((name) => place.read(`${runDir}/${name}`));
    const folders = before[1]?.match(/jobs\/[a-z2-7]+/g) ?? [];
    const results = folders.map((folder) => place.read(`${runDir}/${folder}/result.json`));
    rmSync(join(place.dir, '.aieval/runs'), { recursive: true });
    expect((await place.aieval('summary')).stdout).toBe(withoutLinks(before[0] ?? ''));
    expect(files.map((name) => place.read(`${runDir}/${name}`))).toEqual(before);
    expect(folders.map((folder) => place.read(`${runDir}/${folder}/result.json`))).toEqual(results);
    expect(folders).toHaveLength(2);
  });

  test('a cancelled run is never a pass, whatever its gate', async () => {
    const parts = { providers: { lab: { type: 'simulated', latencyMs: 400 } }, concurrency: 1, gate: { minPassRate: 0, maxErrorRate: 1 } };
    const place = project({ files: { 'manifest.json': manifest('', parts), ...documents(4) } });
    undo.push(place.remove);
    const child = start(['run', 'manifest.json', '--json'], { cwd: place.dir });
    const end = ended(child);
    while ((await place.aieval('status', '--json')).exitCode !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await place.aieval('cancel');
    const { exitCode, stdout } = await end;
    expect(exitCode).toBe(3);
    expect(lastRecord(stdout)).toMatchObject({ verdict: 'incomplete' });
    expect((await place.aieval('summary')).stdout).toMatch(/aieval: CANCELLED \d\/4 .*incomplete/);
  });
});

describe('stdout that cannot be written', () => {
  test.skipIf(!existsSync('/dev/full'))('is a storage error, not a bug, and loses nothing', async () => {
    const { place } = await finished(1);
    const child = spawn(process.execPath, [BINARY, 'summary'], { cwd: place.dir, stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] });
    const { exitCode, stderr } = await ended(child);
    expect(exitCode).toBe(8);
    expect(stderr).toContain('cannot write to stdout (ENOSPC)');
  });
});

describe('--out', () => {
  test('moves an unfinished run whose folder cannot be written', async () => {
    const parts = { providers: { lab: { type: 'simulated', latencyMs: 300 } }, concurrency: 1 };
    const place = project({ files: { 'manifest.json': manifest('', parts), ...documents(3) } });
    undo.push(place.remove);
    const child = start(['run', 'manifest.json'], { cwd: place.dir });
    const end = ended(child);
    while ((await place.aieval('status', '--json')).exitCode !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    expect((await end).exitCode).toBe(130);
    const { run } = lastRecord((await place.aieval('run', 'manifest.json', '--json', '--out', 'elsewhere')).stdout);
    expect(place.read(`elsewhere/${run}/results.jsonl`).trimEnd().split('\n')).toHaveLength(4);
    expect(existsSync(join(place.dir, `elsewhere/${run}/jobs`))).toBe(true);
  });
});
