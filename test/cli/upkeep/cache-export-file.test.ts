import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeExportFile } from '../../../src/cli/upkeep/cache-export-file.ts';
import { UserError } from '../../../src/domain/errors.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aieval-export-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const LINES = ['one\n', 'two\n'];
const CONTENT = LINES.join('');

async function* parts(lines: readonly string[] = LINES): AsyncGenerator<string> {
  yield* lines;
}

const at = (name: string): string => join(folder, name);
const names = (): string[] => readdirSync(folder).sort();

async function refusal(path: string): Promise<UserError> {
  const error: unknown = await writeExportFile(path, parts()).catch((caught: unknown) => caught);
  if (!(error instanceof UserError)) throw new Error(`Expected a refusal, got ${String(error)}`);
  return error;
}

/** As root only, and not everywhere: a node of its own, so that no test can harm the real one. */
const madeFull = (path: string): boolean => spawnSync('mknod', [path, 'c', '1', '7']).status === 0;

test('a file is new or replaced, keeps its mode, and nothing else is left', async () => {
  await writeExportFile(at('deep/new.jsonl'), parts());
  expect(readFileSync(at('deep/new.jsonl'), 'utf8')).toBe(CONTENT);
  writeFileSync(at('old'), 'much longer than what comes');
  chmodSync(at('old'), 0o640);
  await writeExportFile(at('old'), parts());
  expect(readFileSync(at('old'), 'utf8')).toBe(CONTENT);
  expect(statSync(at('old')).mode & 0o777).toBe(0o640);
  expect(names()).toEqual(['deep', 'old']);
});

test('a source that fails half way leaves the old file and no other', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'half';
    throw new Error('the store is gone');
  }
  writeFileSync(at('file'), 'old');
  await expect(writeExportFile(at('file'), broken())).rejects.toThrow('the store is gone');
  expect(readFileSync(at('file'), 'utf8')).toBe('old');
  expect(names()).toEqual(['file']);
});

test('a link stays, and what it leads to is written, also where nothing is yet', async () => {
  mkdirSync(at('there'));
  writeFileSync(at('there/old'), 'old');
  symlinkSync('there/old', at('link'));
  symlinkSync('there/new', at('dangling'));
  symlinkSync('dangling', at('far'));
  for (const [link, target] of [
    ['link', 'there/old'],
    ['far', 'there/new'],
  ] as const) {
    await writeExportFile(at(link), parts());
    expect(lstatSync(at(link)).isSymbolicLink()).toBe(true);
    expect(readFileSync(at(target), 'utf8')).toBe(CONTENT);
  }
  expect(names()).toEqual(['dangling', 'far', 'link', 'there']);
  expect(readdirSync(at('there')).sort()).toEqual(['new', 'old']);
});

test('a pipe gets all of it, and stays a pipe', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const reader = spawn('cat', [at('pipe')]);
  const got = textOf(reader.stdout);
  await writeExportFile(at('pipe'), parts(Array.from({ length: 5000 }, () => `${'x'.repeat(99)}\n`)));
  expect((await got).length).toBe(500_000);
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  expect(names()).toEqual(['pipe']);
});

test('a reader that goes away is told, because it has not got all of it', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const reader = spawn('head', ['-c', '1', at('pipe')]);
  async function* endless(): AsyncGenerator<string> {
    for (;;) yield 'x'.repeat(65_536);
  }
  await expect(writeExportFile(at('pipe'), endless())).rejects.toMatchObject({ exitCode: 8, message: expect.stringContaining('EPIPE') });
  reader.kill();
});

test('a device takes it as it comes, and a full one is told', async (context) => {
  if (!madeFull(at('full'))) return context.skip();
  expect(await refusal(at('full'))).toMatchObject({ code: 'E24', exitCode: 8, message: expect.stringContaining('ENOSPC') });
  expect(lstatSync(at('full')).isCharacterDevice()).toBe(true);
  expect(names()).toEqual(['full']);
});

test('what the system refuses is told with the file and a way out', async () => {
  writeFileSync(at('file'), '');
  symlinkSync('loop', at('loop'));
  for (const [path, code] of [
    [at('x'.repeat(300)), 'ENAMETOOLONG'],
    [at('loop'), 'ELOOP'],
    [at('file/x'), 'ENOTDIR'],
    [folder, 'EISDIR'],
  ] as const) {
    const error = await refusal(path);
    expect(error).toMatchObject({ code: 'E22', exitCode: 8, message: expect.stringContaining(`cannot write ${path}: `) });
    expect(error.message).toContain(`(${code})`);
    expect(error.next).toContain('aieval cache export > cache.jsonl');
  }
  // As long as names can be.
  await writeExportFile(at('x'.repeat(255)), parts());
  expect(names()).toEqual(['file', 'loop', 'x'.repeat(255)]);
});
