import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RotatingFile } from '../../../src/observe/log/rotating-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-log-'));
  path = join(folder, 'logs', 'aieval.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (maxBytes = 20, keep = 2) => new RotatingFile({ path, maxBytes, keep });
const parts = (): string[] => readdirSync(join(folder, 'logs')).sort();
const read = (name: string): string => readFileSync(join(folder, 'logs', name), 'utf8');

test('a file that is full is put away before the next line, and the oldest part goes', () => {
  const file = open();
  for (let n = 1; n <= 9; n += 1) file.write(`line number ${n}\n`);
  file.close();
  expect(parts()).toEqual(['aieval.log', 'aieval.log.1', 'aieval.log.2']);
  expect(read('aieval.log')).toBe('line number 9\n');
  expect(read('aieval.log.1')).toBe('line number 7\nline number 8\n');
  expect(read('aieval.log.2')).toBe('line number 5\nline number 6\n');
});

test('what is there already is added to', () => {
  for (const line of ['one\n', 'two\n']) {
    const file = open(1000);
    file.write(line);
    file.close();
  }
  expect(read('aieval.log')).toBe('one\ntwo\n');
});

test('two writers of one file follow each other to the new one, and no line is lost or torn', () => {
  const files = [open(100, 200), open(100, 200)];
  const lines = Array.from({ length: 200 }, (_, n) => `{"n":${n},"filler":"${'x'.repeat(n % 30)}"}\n`);
  for (const [n, line] of lines.entries()) files[n % 2]?.write(line);
  for (const file of files) file.close();
  const found = parts().flatMap((name) => read(name).trimEnd().split('\n'));
  expect(found.map((line) => JSON.parse(line).n).sort((a, b) => a - b)).toEqual(lines.map((_, n) => n));
  expect(parts().length).toBeGreaterThan(5);
});

test('a file that another program has moved away is begun anew', () => {
  const file = open(1000);
  file.write('old\n');
  renameSync(path, `${path}.moved`);
  file.write('new\n');
  file.close();
  expect([read('aieval.log.moved'), read('aieval.log')]).toEqual(['old\n', 'new\n']);
});

test('nobody else may read it', () => {
  open().close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
