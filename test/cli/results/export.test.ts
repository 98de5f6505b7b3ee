import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../../e2e/project.ts';
import { BINARY, ended } from '../binary.ts';
import { quickstartRun } from '../quickstart-run.ts';

let place: Project;
let runId: string;
let outDir: string;
beforeAll(async () => {
  ({ place, runId, outDir } = await quickstartRun());
});
afterAll(() => place.remove());

test('jsonl on stdout is results.jsonl to the byte, and nothing stands on stderr', async () => {
  const { exitCode, stdout, stderr } = await place.aieval('export', '--format', 'jsonl');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toBe(readFileSync(join(outDir, 'results.jsonl'), 'utf8'));
});

test('a run beside --from is refused, since the file holds its own', async () => {
  expect(await place.aieval('export', 'r-other', '--from', 'results.jsonl', '--format', 'csv')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr:
      'error[E00]: --from reads the run in results.jsonl, so r-other has no meaning\n' +
      'next: aieval export --format csv --from results.jsonl\n',
  });
});

test.each(['junit', 'csv', 'jsonl', 'sarif', 'badge'])('%s from results.jsonl, a pipe or the database is the same', async (format) => {
  const { stdout } = await place.aieval('export', runId, '--format', format, '-q');
  const file = join(outDir, 'results.jsonl');
  expect((await place.aieval('export', '--from', file, '--format', format, '-q')).stdout).toBe(
    stdout.replaceAll('quickstart/documents', 'documents'),
  );
  const piped = spawnSync(process.execPath, [BINARY, 'export', '--from', '-', '--format', format, '-q'], { input: readFileSync(file) });
  expect(piped.stdout.toString()).toBe(stdout);
  expect(stdout.length).toBeGreaterThan(50);
});

test('-o writes the file, whole, and says so on stderr; -q does not', async () => {
  const { exitCode, stdout, stderr } = await place.aieval('export', '--format', 'junit', '-o', 'junit.xml');
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '', stderr: 'Wrote junit.xml\n' });
  expect(place.read('junit.xml')).toContain('<testsuites name="aieval" tests="20" failures="4" errors="1" skipped="0"');
  const quiet = await place.aieval('export', '--format', 'badge', '-o', 'badge.json', '-q');
  expect(quiet).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  expect(JSON.parse(place.read('badge.json'))).toMatchObject({ message: '78.9 % pass, 1 not evaluated' });
  expect(readdirSync(place.dir).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('--json says what was written; on stdout it is for formats of JSON', async () => {
  const { stdout } = await place.aieval('export', '--format', 'csv', '-o', 'results.csv', '--json');
  expect(JSON.parse(stdout)).toEqual({
    v: 1,
    format: 'csv',
    path: join(place.dir, 'results.csv'),
    bytes: Buffer.byteLength(place.read('results.csv')),
  });
  const refused = await place.aieval('export', '--format', 'csv', '--json');
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('error[E00]: --json: csv on stdout is no JSON\nnext: aieval export --format csv\n');
  expect(JSON.parse((await place.aieval('export', '--format', 'badge', '-o', '-', '--json')).stdout)).toMatchObject({ label: 'aieval' });
});

test('SARIF says on stderr what it leaves out', async () => {
  const { stderr } = await place.aieval('export', '--format', 'sarif', '-o', 'aieval.sarif');
  expect(stderr.split('\n')).toEqual([
    'note: 1 document left out, because the lines of PDF, DOCX and packed files are no lines of text: documents/dram-refresh-paper.pdf',
    'note: 1 job could not be evaluated: documents/safety-requirements.md:requirements:hasty (refused)',
    'Wrote aieval.sarif',
    '',
  ]);
  expect(place.read('aieval.sarif')).toContain('"uri":"documents/safety-requirements.md"');
  mkdirSync(join(place.dir, '.git'));
  expect((await place.aieval('export', '--format', 'sarif')).stdout).toContain('"uri":"quickstart/documents/safety-requirements.md"');
});

test('results of a run that goes on are shown as such', async () => {
  const [header = '', ...lines] = readFileSync(join(outDir, 'results.jsonl'), 'utf8').split('\n');
  const { run, ...rest } = JSON.parse(header);
  const open = JSON.stringify({ ...rest, run: { ...run, state: 'open', finishedAt: null } });
  writeFileSync(join(place.dir, 'open.jsonl'), [open, ...lines.slice(0, 3), ''].join('\n'));
  const { exitCode, stdout, stderr } = await place.aieval('export', '--from', 'open.jsonl', '--format', 'badge');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ message: 'unfinished, 100.0 % pass', color: 'blue' });
  expect(stderr).toBe(`note: run ${runId} is not finished; these are its results so far\n`);
});

test('where it cannot write it says what helps', async () => {
  const missing = await place.aieval('export', '--format', 'csv', '-o', 'no/such/results.csv');
  expect(missing).toEqual({
    exitCode: 8,
    stdout: '',
    stderr: 'error[E22]: cannot write no/such/results.csv: its folder does not exist\nnext: mkdir -p no/such\n',
  });
  const folder = await place.aieval('export', '--format', 'csv', '-o', 'quickstart');
  expect(folder).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('-o: quickstart is a folder, expected a file') });
  expect(existsSync(join(place.dir, 'no'))).toBe(false);
});

test('an unknown run, no run and a bad file are exit 2', async () => {
  expect(await place.aieval('export', 'r-zzz', '--format', 'csv')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await place.aieval('export', '--from', 'nothing.jsonl', '--format', 'csv')).toMatchObject({ exitCode: 2, stdout: '' });
  expect(await place.aieval('export')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--format') });
  expect(await place.aieval('export', '--format', 'pdf')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('junit') });
});

test('a reader that leaves is no error', async () => {
  const left = spawnSync('bash', ['-c', `set -o pipefail; "$0" "$1" export --format jsonl | head -c 1`, process.execPath, BINARY], {
    cwd: place.dir,
  });
  expect({ status: left.status, stderr: left.stderr.toString() }).toEqual({ status: 0, stderr: '' });
});

test.skipIf(!existsSync('/dev/full'))('a full disk is exit 8, in a file and behind stdout', async () => {
  const child = spawn(process.execPath, [BINARY, 'export', '--format', 'csv'], {
    cwd: place.dir,
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  expect(await ended(child)).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('ENOSPC') });
  const file = await place.aieval('export', '--format', 'csv', '-o', '/dev/full');
  expect(file).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('error[E24]: cannot write /dev/full') });
});
