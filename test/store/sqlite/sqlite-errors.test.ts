import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageError } from '../../../src/store/sqlite/sqlite-errors.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-errors-'));
  path = join(folder, 'aieval.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const told = (code: string) => storageError(new BetterSqlite3.SqliteError('from SQLite', code), path);

describe('an error of the disk', () => {
  test.each(['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])('that a full disk gives is told as one first (%s)', (code) => {
    expect(told(code)).toMatchObject({
      code: 'E24',
      exitCode: 8,
      message: expect.stringMatching(
        new RegExp(`cannot grow \\(${code}, [\\d.]+ \\wB free\\): the disk, a quota or a limit of file sizes is full`),
      ),
      next: ['free space, then repeat the same command', 'else check the disk; use another file: --db new.db'],
    });
  });

  test('that either may give names both', () => {
    expect(told('SQLITE_IOERR_FSYNC')).toMatchObject({
      code: 'E22',
      exitCode: 8,
      next: [expect.stringContaining('free space'), expect.stringContaining('check the disk')],
    });
  });

  test.each(['SQLITE_IOERR_READ', 'SQLITE_CORRUPT'])('that no full disk gives does not speak of space (%s)', (code) => {
    const error = told(code);
    expect(error).toMatchObject({ code: 'E22', next: ['check the disk; use another file: --db new.db'] });
    expect(String(error)).not.toContain('free');
  });
});

describe('a file that may not be written', () => {
  test.runIf(process.getuid?.() !== 0)('is to be made writable by its owner alone', () => {
    writeFileSync(path, '');
    chmodSync(path, 0o444);
    expect(told('SQLITE_READONLY')).toMatchObject({ code: 'E22', next: [`chmod u+w ${path}`, 'use another file: --db PATH'] });
  });

  test('that this user can write, or does not own, gets no chmod', () => {
    writeFileSync(path, '');
    expect(told('SQLITE_READONLY')).toMatchObject({ next: ['use another file: --db PATH'] });
    path = '/etc/passwd';
    expect(told('SQLITE_READONLY')).toMatchObject({ next: ['use another file: --db PATH'] });
  });
});
