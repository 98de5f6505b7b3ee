import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { aieval, BINARY, type Ended, ended } from '../cli/binary.ts';
import { answerJson, type ScriptedServer, startScriptedServer } from '../providers/scripted-server.ts';
import { documents, goodAnswer, manifest, type Project, project } from './project.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

type Place = Project & { readonly server: ScriptedServer };

/** A manifest with one document, and a server that would answer. */
async function place(): Promise<Place> {
  const server = await startScriptedServer({ respond: async ({ prompt }) => answerJson(goodAnswer(prompt)) });
  undo.push(server.close);
  const made = project({ files: { 'manifest.json': manifest(server.baseUrl), ...documents(1) } });
  undo.push(made.remove);
  return { ...made, server };
}

function edit(path: string, change: (db: Database) => void): void {
  const db = new BetterSqlite3(path);
  change(db);
  db.close();
}

/** Exit 8 with this message and a next step on stderr, nothing asked, and no run left behind. */
function expectRefused({ exitCode, stderr, stdout }: Ended, { server, dir }: Place, message: string | RegExp, asked = 0): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^next: /m);
  expect(stderr).not.toMatch(/SqliteError|\n {4}at /);
  expect([exitCode, stdout]).toEqual([8, '']);
  expect(server.requests).toHaveLength(asked);
  const runs = join(dir, '.aieval', 'runs');
  expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
}

describe('a database that cannot be used ends the command with exit 8 before anything is asked:', () => {
  test('a file that is no database', async () => {
    const here = await place();
    here.write('notes.db', 'These are notes, and no database. '.repeat(50));
    expectRefused(await here.aieval('run', 'manifest.json', '--db', 'notes.db'), here, 'notes.db is not a database; nothing was changed');
    expect(here.read('notes.db')).toBe('These are notes, and no database. '.repeat(50));
  });

  test('a database of another program', async () => {
    const here = await place();
    const path = join(here.dir, 'bookmarks.db');
    edit(path, (db) => db.exec(`CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('https://example.org')`));
    expectRefused(await here.aieval('run', 'manifest.json', '--db', path), here, 'bookmarks.db is a database of another program');
    edit(path, (db) => {
      expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['bookmarks']);
      expect(db.prepare('SELECT url FROM bookmarks').pluck().all()).toEqual(['https://example.org']);
    });
  });

  test('a database of a newer version', async () => {
    const here = await place();
    const path = join(here.dir, 'newer.db');
    expect((await here.aieval('run', 'manifest.json', '--db', path)).exitCode).toBe(0);
    edit(path, (db) => db.pragma('user_version = 99'));
    const runs = readdirSync(join(here.dir, '.aieval', 'runs'));
    const { exitCode, stderr } = await here.aieval('run', 'manifest.json', '--db', path);
    expect(stderr).toMatch('newer.db was written by a newer aieval (schema 99;');
    expect(stderr).toMatch(/^next: update aieval; in a clone of it: git pull && npm ci$/m);
    expect(exitCode).toBe(8);
    edit(path, (db) => expect(db.pragma('user_version', { simple: true })).toBe(99));
    expect(readdirSync(join(here.dir, '.aieval', 'runs'))).toEqual(runs);
    expect(here.server.requests).toHaveLength(1);
  });

  test('a folder in its place', async () => {
    const here = await place();
    mkdirSync(join(here.dir, 'folder.db'));
    expectRefused(await here.aieval('run', 'manifest.json', '--db', 'folder.db'), here, /cannot open .*folder\.db/);
  });

  test('a path below a file', async () => {
    const here = await place();
    here.write('file', 'a file');
    expectRefused(await here.aieval('run', 'manifest.json', '--db', join('file', 'aieval.db')), here, /cannot write .*file/);
    expect(here.read('file')).toBe('a file');
  });

  test('a folder that may not be written', async () => {
    const here = await place();
    const folder = join(here.dir, 'shut');
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    const end = await asPlainUser(here, 'run', 'manifest.json', '--db', join('shut', 'aieval.db'));
    expectRefused(end, here, /cannot open .*aieval\.db/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a file that may not be written', async () => {
    const here = await place();
    const path = join(here.dir, 'kept.db');
    expect((await here.aieval('run', 'manifest.json', '--db', path, '--out', 'elsewhere')).exitCode).toBe(0);
    chmodSync(path, 0o444);
    const before = readFileSync(path);
    expectRefused(await asPlainUser(here, 'run', 'manifest.json', '--db', path), here, /kept\.db is read-only/, 1);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

/** Root may write everything: its process gives up that right first, so that permissions mean what they say. */
function asPlainUser({ dir }: Project, ...args: string[]): Promise<Ended> {
  if (process.getuid?.() !== 0) return aieval(args, { cwd: dir });
  const { PATH = '', HOME = '' } = process.env;
  const command = ['--bounding-set=-dac_override,-dac_read_search', process.execPath, BINARY, ...args];
  return ended(spawn('setpriv', command, { cwd: dir, env: { PATH, HOME }, stdio: ['ignore', 'pipe', 'pipe'] }));
}
