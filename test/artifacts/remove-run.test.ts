import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeRunFiles, runFilesSize } from '../../src/artifacts/remove-run.ts';

const JOB = `jobs/${'a2'.repeat(13)}`;
const TEXT = `texts/${'0f'.repeat(32)}.txt`;
const HALF = '0b3f7a52-6c1d-4c53-9a43-0d8f6f1a2b3c.tmp';

let folder = '';
let runDir = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-remove-'));
  runDir = join(folder, 'r-1');
  for (const name of ['summary.md', 'results.jsonl', 'manifest.resolved.json', TEXT, `${JOB}/steps/answer-1/request.json`]) put(name);
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string): void {
  mkdirSync(dirname(join(runDir, name)), { recursive: true });
  writeFileSync(join(runDir, name), '0123456789');
}

test('a run leaves nothing behind, and only its own bytes are counted', async () => {
  expect(await runFilesSize(runDir)).toBe(50);
  for (const name of [`.summary.md.${HALF}`, `.jobs.${HALF}/${'b'.repeat(26)}/result.json`, `${JOB}/.result.json.${HALF}`]) put(name);
  for (const name of ['result.json', 'attempts.jsonl', 'response.json', 'steps/reask-2.3/response.json']) put(`${JOB}/${name}`);
  expect(await runFilesSize(runDir)).toBe(120);
  expect(await removeRunFiles(runDir)).toBe('gone');
  expect(existsSync(runDir)).toBe(false);
  expect(await removeRunFiles(runDir)).toBe('gone');
  expect(await runFilesSize(runDir)).toBe(0);
});

test('the files of outputs are ours, whole or half written', async () => {
  for (const name of ['junit.xml', 'results.csv', 'aieval.sarif', 'badge.json', 'report.html', `.report.html.${HALF}`]) put(name);
  put('report2.html');
  expect(await runFilesSize(runDir)).toBe(110);
  expect(await removeRunFiles(runDir)).toBe('others');
  expect(readdirSync(runDir)).toEqual(['report2.html']);
});

test('what is not ours stays, also under our names', async () => {
  put('notes.txt');
  put('jobs.bak/x');
  rmSync(join(runDir, 'results.jsonl'));
  mkdirSync(join(runDir, 'results.jsonl'));
  rmSync(join(runDir, 'texts'), { recursive: true });
  writeFileSync(join(runDir, 'texts'), 'a file');
  expect(await runFilesSize(runDir)).toBe(30);
  expect(await removeRunFiles(runDir)).toBe('others');
  expect(readdirSync(runDir).sort()).toEqual(['jobs.bak', 'notes.txt', 'results.jsonl', 'texts']);
});

test('no link is followed: not the folder, not a part of it, not one inside', async () => {
  const outside = join(folder, 'outside');
  mkdirSync(join(outside, 'jobs'), { recursive: true });
  for (const name of ['summary.md', 'jobs/keep']) writeFileSync(join(outside, name), 'mine');
  symlinkSync(join(outside, 'jobs'), join(runDir, 'jobs', 'b'.repeat(26)));
  rmSync(join(runDir, 'summary.md'));
  symlinkSync(join(outside, 'summary.md'), join(runDir, 'summary.md'));
  symlinkSync(outside, join(folder, 'r-2'));
  expect(await removeRunFiles(runDir)).toBe('others');
  expect(readdirSync(runDir).sort()).toEqual(['jobs', 'summary.md']);
  expect(readdirSync(join(runDir, 'jobs'))).toEqual(['b'.repeat(26)]);
  expect(await removeRunFiles(join(folder, 'r-2'))).toBe('link');
  expect(await runFilesSize(join(folder, 'r-2'))).toBe(0);
  expect(readdirSync(outside).sort()).toEqual(['jobs', 'summary.md']);
  expect(readdirSync(join(outside, 'jobs'))).toEqual(['keep']);
});

test('what a person put among our files stays where it was', async () => {
  for (const name of ['jobs/notes.md', `${JOB}/mine.json`, `${JOB}/steps/answer-1/mine.txt`, 'texts/mine.txt']) put(name);
  expect(await removeRunFiles(runDir)).toBe('others');
  expect(
    readdirSync(runDir, { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
      .sort(),
  ).toEqual(['mine.json', 'mine.txt', 'mine.txt', 'notes.md']);
  expect(readdirSync(join(runDir, JOB)).sort()).toEqual(['mine.json', 'steps']);
  expect(await removeRunFiles(runDir)).toBe('others');
});

test.skipIf(process.getuid?.() === 0)('a parent that may not be changed keeps an empty folder, and is no obstacle', async () => {
  chmodSync(folder, 0o500);
  expect(await removeRunFiles(runDir)).toBe('empty');
  chmodSync(folder, 0o700);
  expect(readdirSync(runDir)).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be changed is a storage error', async () => {
  chmodSync(runDir, 0o500);
  await expect(removeRunFiles(runDir)).rejects.toMatchObject({ exitCode: 8, message: `cannot remove the files in ${runDir} (EACCES).` });
  chmodSync(runDir, 0o700);
});
