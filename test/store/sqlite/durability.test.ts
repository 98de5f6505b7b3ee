import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configure, openFile } from '../../../src/store/sqlite/connection.ts';
import { Bench, Clock } from '../bench.ts';
import { job } from '../rows.ts';
import { openTempStore, type SqliteBench } from './open-store.ts';

const WORK = fileURLToPath(new URL('./durable.mjs', import.meta.url));
const DURABLE = [2, 1, 1, 'wal'];
/** The heartbeat may lose its last beat. */
const BEATING = [1, 1, 1, 'wal'];

const STRACE = 'strace';

/** It is there, and may trace. */
const traced = spawnSync(STRACE, ['-o', '/dev/null', 'true']).status === 0;

let opened: SqliteBench;
let connections: Database[];
beforeEach(async () => {
  connections = [];
  const openDatabase = (path: string): Database => {
    const db = openFile(path);
    connections.push(db);
    return db;
  };
  opened = await openTempStore(Date.now, { openDatabase });
});
afterEach(() => opened.dispose());

function setUp(db: Database): unknown[] {
  return ['synchronous', 'fullfsync', 'checkpoint_fullfsync', 'journal_mode'].map((name) => db.pragma(name, { simple: true }));
}

async function planned(): Promise<void> {
  await new Bench(opened.store, new Clock()).plan('r1', [job('j1', 0), job('j2', 1)]);
}

describe('a connection', () => {
  it('keeps commits through a power cut, whether it created the database or not', async () => {
    const more = (path: string): Database => {
      const db = openFile(path);
      connections.push(db);
      return db;
    };
    await opened.another({ openDatabase: more });
    expect(connections.map(setUp)).toEqual([DURABLE, DURABLE]);
  });

  it('of another process does too', async () => {
    await planned();
    const { stdout, stderr } = spawnSync(process.execPath, [WORK, opened.path], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual([DURABLE]);
  });

  it('of the heartbeat syncs its checkpoints, and not each beat', () => {
    const db = openFile(opened.path);
    configure(db, opened.path, 'NORMAL');
    expect(setUp(db)).toEqual(BEATING);
    db.close();
  });

  it.each(['synchronous', 'fullfsync', 'checkpoint_fullfsync'])('that does not take %s is refused', (name) => {
    const db = openFile(opened.path);
    const pragma = db.pragma.bind(db);
    db.pragma = (source, options) => (source.startsWith(`${name} = `) ? undefined : pragma(source, options));
    pragma('synchronous = OFF');
    expect(() => configure(db, opened.path, 'FULL')).toThrow(
      expect.objectContaining({ code: 'E22', exitCode: 8, message: expect.stringContaining(`SQLite's ${name} is 0 instead of`) }),
    );
    db.close();
  });
});

type Call = { readonly name: string; readonly path: string; readonly text: string; readonly result: number };

const CALL = /^(\w+)\(\d+<([^>]*)>(?:, "((?:[^"\\]|\\.)*)")?.* = (-?\d+)/;

/** The traced calls of the thread that wrote the lines of the script, in their order. */
function callsOf(folder: string): readonly Call[] {
  for (const file of readdirSync(folder).filter((name) => name.startsWith('trace.'))) {
    const calls = readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name = '', path = '', text = '', result = ''] = CALL.exec(line) ?? [];
        return name === '' ? [] : [{ name, path, text, result: Number(result) }];
      });
    if (calls.some(({ text }) => text === 'registerWorker\\n')) return calls;
  }
  throw new Error('no thread wrote a line');
}

/** Per line of the script: did it write to a file of this name's end, and was what it wrote synced before the line? */
function syncedBefore(
  calls: readonly Call[],
  verbs: readonly string[],
  suffix: string,
): { verb: string; wrote: boolean; synced: boolean }[] {
  let start = 0;
  return verbs.map((verb) => {
    const end = calls.findIndex(({ name, text }, index) => index >= start && name === 'write' && text === `${verb}\\n`);
    const during = calls.slice(start, end).filter(({ path }) => path.endsWith(suffix));
    start = end + 1;
    const lastWrite = during.findLastIndex(({ name }) => name === 'pwrite64');
    const synced = during.slice(lastWrite + 1).some(({ name, result }) => /^f(data)?sync$/.test(name) && result === 0);
    return { verb, wrote: lastWrite !== -1, synced };
  });
}

describe('a promise of the store', () => {
  it.runIf(traced)('resolves after the disk has what it promises, as strace sees it', async () => {
    await planned();
    const trace = ['-ff', '-y', '-e', 'trace=fdatasync,fsync,write,pwrite64', '-o', join(opened.folder, 'trace')];
    const { status, stderr } = spawnSync(STRACE, [...trace, process.execPath, WORK, opened.path], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const calls = callsOf(opened.folder);
    const verbs = ['registerWorker', 'claim', 'markSent', 'recordResponse', 'settle', 'finish', 'claim', 'markSent'];
    const durable = verbs.map((verb) => ({ verb, wrote: true, synced: true }));
    expect(syncedBefore(calls, verbs, '-wal')).toEqual(durable);
    const kept = syncedBefore(calls, [...verbs, 'keep'], '.spool').at(-1);
    expect(kept).toEqual({ verb: 'keep', wrote: true, synced: true });
  });

  it.skipIf(traced)('NOT SHOWN HERE: strace is missing, or may not trace', () => {
    expect(process.env.CI ?? '').toBe('');
  });
});
