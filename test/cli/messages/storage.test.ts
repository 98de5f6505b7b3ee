import { spawn } from 'node:child_process';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Project } from '../../e2e/project.ts';
import { BINARY, type Ended, ended } from '../binary.ts';
import { DOCUMENT, expectError, folder, manifestText, told } from './case.ts';

const place = () => folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });

/** The real program under a limit of the shell's. */
function underLimit({ dir }: Project, limit: string, ...args: string[]): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env;
  const script = `ulimit ${limit}; exec "$@"`;
  return ended(
    spawn('/bin/sh', ['-c', script, 'sh', process.execPath, BINARY, ...args], {
      cwd: dir,
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

describe('the state refuses', () => {
  test('E20: a paused run is not worked on; `resume` is the way, and then the same command continues', async () => {
    const here = place();
    expect((await here.aieval('run', 'manifest.json')).exitCode).toBe(0);
    here.write('docs/02.md', 'Another.\n');
    // A run that its budget stopped at once is unfinished, and can be paused.
    here.write('manifest.json', manifestText({ models: { small: PRICED }, budget: { usd: 0.000001 } }));
    expect((await here.aieval('run', 'manifest.json')).exitCode).toBe(6);
    const run = JSON.parse((await here.aieval('status', '--json')).stdout).run.id;
    expect((await here.aieval('pause', run)).exitCode).toBe(0);
    await expectError(here, ['worker', run], { exitCode: 7, lines: [`error[E20]: run ${run} is paused`, `next: aieval resume ${run}`] });
    expect((await here.aieval('resume', run)).exitCode).toBe(0);
    expect((await here.aieval('run', 'manifest.json', '--max-cost', '100')).exitCode).toBe(0);
  });
});

const PRICED = { provider: 'sim', model: 'small', price: { inputPerMTok: 100, outputPerMTok: 200 }, params: { maxOutputTokens: 10_000 } };

type Unwritable = readonly [option: string, path: string, folderName: string, code: string];

const OF_LINUX: readonly Unwritable[] = [
  ['--out', '/proc/x', '/proc/x', 'ENOENT'],
  ['--db', '/proc/x/y.db', '/proc/x', 'ENOENT'],
];
const UNWRITABLE: readonly Unwritable[] = [
  ['--out', '/dev/null/x', '/dev/null/x', 'ENOTDIR'],
  ...(process.platform === 'linux' ? OF_LINUX : []),
];

describe('the storage cannot be used', () => {
  test('E21: a lock that another program holds is told after half a minute, with who holds it', { timeout: 120_000 }, async () => {
    const here = place();
    await here.aieval('run', 'manifest.json');
    const db = new BetterSqlite3(join(here.dir, '.aieval', 'aieval.db'));
    db.exec('BEGIN IMMEDIATE');
    const end = await here.aieval('cancel', 'latest');
    db.exec('ROLLBACK');
    db.close();
    const seen = process.platform === 'linux' ? String.raw`: process ${process.pid} \([^\n]+\)` : String.raw` \(backup, .*\)`;
    expect(end.exitCode).toBe(8);
    expect(told(end, here)).toMatch(
      new RegExp(
        `^error\\[E21\\]: <dir>/\\.aieval/aieval\\.db is locked by another program${seen}\\.\\nnext: .*\\nnext: or move the database to a local folder: the same command with --db ~/\\.local/state/aieval/aieval\\.db\\n$`,
      ),
    );
    expect((await here.aieval('cancel', 'latest')).exitCode).toBe(0);
  });

  test('E22: a file that is no database is left as it is', async () => {
    const here = place();
    here.write('new.db', 'nonsense '.repeat(500));
    await expectError(here, ['run', 'manifest.json', '--db', 'new.db'], {
      exitCode: 8,
      lines: ['error[E22]: <dir>/new.db is not a database; nothing was changed.', 'next: use another file: --db new.db'],
    });
    expect(here.read('new.db')).toBe('nonsense '.repeat(500));
  });

  test('E22: a database of a newer version is refused', async () => {
    const here = place();
    await here.aieval('run', 'manifest.json');
    const db = new BetterSqlite3(join(here.dir, '.aieval', 'aieval.db'));
    const own = db.pragma('user_version', { simple: true });
    db.pragma('user_version = 99');
    db.close();
    await expectError(here, ['status'], {
      exitCode: 8,
      lines: [
        `error[E22]: <dir>/.aieval/aieval.db was written by a newer aieval (schema 99; this one reads up to ${own}).`,
        'next: update aieval; in a clone of it: git pull && npm ci',
      ],
    });
  });

  test.each(UNWRITABLE)('E22: %s %s, where nothing can be written, is refused at once', async (option, path, folderName, code) => {
    await expectError(place(), ['run', 'manifest.json', option, path], {
      exitCode: 8,
      lines: [
        `error[E22]: cannot write ${folderName} (${code})`,
        'next: the same command with --db <path> --out <dir>, both in a folder that you may write',
      ],
    });
  });

  test('E24: where no file can grow, nothing is asked, and what was settled is said to be safe', async () => {
    const here = place();
    const end = await underLimit(here, '-f 400', 'run', 'manifest.json');
    expect(end.exitCode).toBe(8);
    expect(told(end, here)).toMatch(
      /^error\[E24\]: <dir>\/\.aieval\/aieval\.db cannot grow \(SQLITE_\w+, [^)]+ free\): the disk, a quota or a limit of file sizes is full; everything settled so far is safe\.\nnext: free space, then repeat the same command\nnext: .*\n$/,
    );
    expect((await here.aieval('run', 'manifest.json')).exitCode).toBe(0);
  });

  test('E37: too few open files is told with the limit, and the next line raises it', async () => {
    const here = place();
    // Whichever of our modules is the first that cannot be read.
    for (const most of [24, 40, 48]) {
      const end = await underLimit(here, `-n ${most}`, 'run', 'manifest.json');
      expect(end.exitCode).toBe(8);
      expect(told(end, here)).toBe(
        `error[E37]: too many open files (EMFILE): this process may open ${most} (ulimit -n)\nnext: ulimit -n 1024, then the same command again\n`,
      );
    }
    expect((await underLimit(here, '-n 1024', 'run', 'manifest.json')).exitCode).toBe(0);
  });
});
