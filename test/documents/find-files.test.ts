import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFiles } from '../../src/documents/find-files.ts';
import type { DocumentEntry } from '../../src/domain/manifest/resolved.ts';

let root = '';
let base = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'aieval-find-')));
  base = join(root, 'project');
  await mkdir(base);
});
afterEach(() => rm(root, { recursive: true }));

async function write(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(base, path)), { recursive: true });
    await writeFile(join(base, path), path);
  }
}

function entry(include: string, more: Partial<DocumentEntry> = {}): DocumentEntry {
  const literal = !/[*?{[]/.test(include);
  return { include, literal, exclude: [], id: null, tags: [], passwordEnv: null, format: null, charset: null, optional: false, ...more };
}

async function idsOf(...entries: readonly DocumentEntry[]): Promise<readonly string[]> {
  return (await findFiles(base, entries)).files.map((file) => file.documentId);
}

async function problemsOf(...entries: readonly DocumentEntry[]): Promise<readonly string[]> {
  return (await findFiles(base, entries)).problems.map((problem) => problem.message);
}

describe('files that entries name', () => {
  test('are sorted by id, with absolute path, tags and entry', async () => {
    await write('specs/b.md', 'specs/deep/a.md', 'a.txt');
    const glob = entry('specs/**/*.md', { tags: ['spec'] });
    const literal = entry('a.txt', { id: 'z-notes' });
    expect(await findFiles(base, [literal, glob])).toEqual({
      files: [
        { documentId: 'specs/b.md', path: join(base, 'specs/b.md'), tags: ['spec'], entry: glob },
        { documentId: 'specs/deep/a.md', path: join(base, 'specs/deep/a.md'), tags: ['spec'], entry: glob },
        { documentId: 'z-notes', path: join(base, 'a.txt'), tags: [], entry: literal },
      ],
      problems: [],
    });
  });

  test('excluded ones and junk are left out', async () => {
    await write(
      'a.md',
      'drafts/b.md',
      'node_modules/x/README.md',
      '.aieval/runs/c.md',
      '.hidden.md',
      'a.md:Zone.Identifier',
      'a.md.Zone.Identifier',
      '~$a.md',
    );
    expect(await idsOf(entry('**/*', { exclude: ['drafts/**'] }))).toEqual(['a.md']);
  });

  test('a path may name what a glob leaves out', async () => {
    await write('.notes.md');
    expect(await idsOf(entry('.notes.md'))).toEqual(['.notes.md']);
  });

  test('files beside the folder have ids that lead to them', async () => {
    await write('x.md', '../shared/y.md');
    expect(await idsOf(entry('../shared/*.md'), entry('../shared/y.md'), entry(join(base, 'x.md')))).toEqual(['../shared/y.md', 'x.md']);
  });

  test('brackets in a path are no pattern', async () => {
    await write('paper [v2].md');
    expect(await idsOf(entry('paper [v2].md', { literal: true }))).toEqual(['paper [v2].md']);
  });

  test('each file counts once, also through a link', async () => {
    await write('b.md');
    await symlink('b.md', join(base, 'a.md'));
    await symlink('b.md', join(base, 'c.md'));
    expect(await idsOf(entry('*.md'))).toEqual(['b.md']);
    expect(await idsOf(entry('*.md'), entry('a.md'))).toEqual(['a.md']);
  });

  test.each(['before', 'after'])('a path goes before a glob that stands %s it', async (place) => {
    await write('a.md', 'b.md');
    const literal = entry('a.md', { id: 'A', charset: 'windows-1252' });
    const entries = place === 'before' ? [entry('*.md'), literal] : [literal, entry('*.md')];
    const { files } = await findFiles(base, entries);
    expect(files.map((file) => [file.documentId, file.entry.charset])).toEqual([
      ['A', 'windows-1252'],
      ['b.md', null],
    ]);
  });

  test('of two globs the later one counts', async () => {
    await write('core/a.md', 'b.md');
    const { files } = await findFiles(base, [entry('**/*.md'), entry('core/*.md', { tags: ['core'] })]);
    expect(files.map((file) => [file.documentId, file.tags])).toEqual([
      ['b.md', []],
      ['core/a.md', ['core']],
    ]);
  });
});

describe('entries that are wrong', () => {
  test('a glob without a match is told with what is there', async () => {
    await write('specs/a.md', 'specs/b.md', 'c.txt', 'node_modules/d.txt', 'node_modules/e.txt');
    expect(await findFiles(base, [entry('c.txt'), entry('specs/**/*.markdown')])).toMatchObject({
      problems: [{ index: 1, message: `documents[1] "specs/**/*.markdown" matches no file (base ${base}; 2 files end in .md)` }],
    });
  });

  test('a path that does not exist is told the same way', async () => {
    await write('a.md');
    expect(await problemsOf(entry('b.md'), entry('a.md/c.md'))).toEqual([
      `documents[0] "b.md" does not exist (base ${base}; 1 file ends in .md)`,
      `documents[1] "a.md/c.md" does not exist (base ${base}; 1 file ends in .md)`,
    ]);
  });

  test('an empty folder is told as such', async () => {
    expect(await problemsOf(entry('*.md'))).toEqual([`documents[0] "*.md" matches no file (base ${base}; no documents below it)`]);
  });

  test('a folder is not a document', async () => {
    await write('specs/a.md');
    expect(await problemsOf(entry('specs/'))).toEqual([
      `documents[0] "specs/" is a folder (base ${base}); name files, for example "specs/**/*.md"`,
    ]);
  });

  test('nothing found is no problem when the entry is optional', async () => {
    expect(await findFiles(base, [entry('*.md', { optional: true }), entry('x.md', { optional: true })])).toEqual({
      files: [],
      problems: [],
    });
  });

  test('an id that stands for several files is a problem', async () => {
    await write('a.md', 'b.md', 'c.txt');
    expect(await problemsOf(entry('*.md', { id: 'spec' }))).toEqual([
      `documents[0]: the id "spec" stands for 2 files: ${join(base, 'a.md')}, ${join(base, 'b.md')}`,
    ]);
    expect(await problemsOf(entry('a.md'), entry('c.txt', { id: 'a.md' }))).toEqual([
      `documents[1]: the id "a.md" stands for 2 files: ${join(base, 'a.md')}, ${join(base, 'c.txt')}`,
    ]);
  });
});
