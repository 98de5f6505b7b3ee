import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageError } from '../../src/artifacts/storage-error.ts';
import { writeFileAtomic } from '../../src/artifacts/write-file.ts';
import { UserError } from '../../src/domain/errors.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aieval-artifacts-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('writeFileAtomic', () => {
  test('makes the folders, replaces an old file and leaves nothing else behind', async () => {
    const path = join(folder, 'a/b/file.txt');
    await writeFileAtomic(path, 'old');
    await writeFileAtomic(path, 'new ✓');
    expect(await readFile(path, 'utf8')).toBe('new ✓');
    expect(await readdir(join(folder, 'a/b'))).toEqual(['file.txt']);
  });

  test('streams what comes in parts', async () => {
    async function* parts() {
      for (let i = 0; i < 3000; i++) yield `${'x'.repeat(99)}\n`;
    }
    await writeFileAtomic(join(folder, 'big'), parts());
    expect(await readFile(join(folder, 'big'), 'utf8')).toBe(`${'x'.repeat(99)}\n`.repeat(3000));
  });

  test('a source that fails half way leaves the old file and no temporary one', async () => {
    async function* broken() {
      yield 'half';
      throw new Error('the store is gone');
    }
    await writeFile(join(folder, 'file'), 'old');
    await expect(writeFileAtomic(join(folder, 'file'), broken())).rejects.toThrow('the store is gone');
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['file']);
  });

  test('many writers of one file leave one whole file', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(10_000));
    await Promise.all(texts.map((text) => writeFileAtomic(join(folder, 'file'), text)));
    expect(texts).toContain(await readFile(join(folder, 'file'), 'utf8'));
    expect(await readdir(folder)).toEqual(['file']);
  });

  test('a file in the place of a folder is an error with the path and what to do', async () => {
    await writeFile(join(folder, 'jobs'), '');
    const path = join(folder, 'jobs/x/result.json');
    const error: unknown = await writeFileAtomic(path, '').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      code: 'E22',
      exitCode: 8,
      message: expect.stringContaining(`cannot write ${path}: a file stands where a folder is needed`),
    });
  });
});

describe('storageError', () => {
  test.each([
    ['ENOSPC', 'E24', 'disk full'],
    ['EDQUOT', 'E24', 'disk quota reached'],
    ['EACCES', 'E22', 'permission denied'],
    ['EROFS', 'E22', 'the file system is read-only'],
  ])('%s is %s, exit 8', (code, catalogued, words) => {
    const error = storageError(Object.assign(new Error('x'), { code }), '/runs/r1/summary.md');
    expect(error).toMatchObject({
      code: catalogued,
      exitCode: 8,
      message: `cannot write /runs/r1/summary.md: ${words} (${code}). Results are safe in the database.`,
    });
  });

  test('an error that nobody can mend stays as it is', () => {
    const bug = new TypeError('bug');
    expect(storageError(bug, '/x')).toBe(bug);
  });
});
