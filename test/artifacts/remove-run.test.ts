import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeRunFiles, runFilesSize } from '../../src/artifacts/remove-run.ts';

let folder = '';
let runDir = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-remove-'));
  runDir = join(folder, 'r-1');
  for (const name of ['summary.md', 'results.jsonl', 'manifest.resolved.json', 'texts/t.txt', 'jobs/j1/steps/answer-1/request.json'])
    put(name);
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string): void {
  mkdirSync(dirname(join(runDir, name)), { recursive: true });
  writeFileSync(join(runDir, name), '0123456789');
}

test('a run leaves nothing behind, and only its own bytes are counted', async () => {
  expect(await runFilesSize(runDir)).toBe(50);
  put('.summary.md.0b3f7a52-6c1d-4c53-9a43-0d8f6f1a2b3c.tmp');
  mkdirSync(join(runDir, '.jobs.0b3f7a52-6c1d-4c53-9a43-0d8f6f1a2b3c.tmp'));
  expect(await runFilesSize(runDir)).toBe(60);
  expect(await removeRunFiles(runDir)).toBe(true);
  expect(existsSync(runDir)).toBe(false);
  expect(await removeRunFiles(runDir)).toBe(true);
  expect(await runFilesSize(runDir)).toBe(0);
});

test('what is not ours stays, also under our names', async () => {
  put('notes.txt');
  put('jobs.bak/x');
  rmSync(join(runDir, 'results.jsonl'));
  mkdirSync(join(runDir, 'results.jsonl'));
  rmSync(join(runDir, 'texts'), { recursive: true });
  writeFileSync(join(runDir, 'texts'), 'a file');
  expect(await runFilesSize(runDir)).toBe(30);
  expect(await removeRunFiles(runDir)).toBe(false);
  expect(readdirSync(runDir).sort()).toEqual(['jobs.bak', 'notes.txt', 'results.jsonl', 'texts']);
});

test('no link is followed: not the folder, not a part of it, not one inside', async () => {
  const outside = join(folder, 'outside');
  mkdirSync(join(outside, 'jobs'), { recursive: true });
  for (const name of ['summary.md', 'jobs/keep']) writeFileSync(join(outside, name), 'mine');
  symlinkSync(join(outside, 'jobs'), join(runDir, 'jobs', 'j2'));
  rmSync(join(runDir, 'summary.md'));
  symlinkSync(join(outside, 'summary.md'), join(runDir, 'summary.md'));
  symlinkSync(outside, join(folder, 'r-2'));
  expect(await removeRunFiles(runDir)).toBe(false);
  expect(readdirSync(runDir)).toEqual(['summary.md']);
  expect(await removeRunFiles(join(folder, 'r-2'))).toBe(false);
  expect(await runFilesSize(join(folder, 'r-2'))).toBe(0);
  expect(readdirSync(outside).sort()).toEqual(['jobs', 'summary.md']);
  expect(readdirSync(join(outside, 'jobs'))).toEqual(['keep']);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be changed is a storage error', async () => {
  chmodSync(runDir, 0o500);
  await expect(removeRunFiles(runDir)).rejects.toMatchObject({ exitCode: 8 });
  chmodSync(runDir, 0o700);
});
