import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFiles } from '../../../src/documents/files/find-files.ts';
import type { DocumentEntry } from '../../../src/domain/manifest/resolved.ts';

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
  return (await findFiles(base, entries)).problems.map(({ index, what }) => `documents[${index}] ${what}`);
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
      '__MACOSX/._a.md',
      '__MACOSX/a.md',
    );
    expect(await idsOf(entry('**/*', { exclude: ['drafts/**'] }))).toEqual(['a.md']);
  });

  test('what runs wrote is no document, wherever it lies, unless a path names it', async () => {
    await write(
      'a.md',
      'out/r-1/manifest.resolved.json',
      'out/r-1/summary.md',
      'out/r-1/jobs/x/result.md',
      'out/notes.md',
      '../copied/manifest.resolved.json',
      '../copied/b.md',
    );
    expect(await idsOf(entry('**/*.md'))).toEqual(['a.md', 'out/notes.md']);
    expect(await idsOf(entry('**/*.md'), entry('out/r-1/summary.md'))).toEqual(['a.md', 'out/notes.md', 'out/r-1/summary.md']);
    expect(await idsOf(entry('.aieval/*', { optional: true }))).toEqual([]);
    expect(await problemsOf(entry('out/r-1/**/*.md'))).toEqual([
      expect.stringMatching(
        /^documents\[0\] "out\/r-1\/\*\*\/\*\.md" matches no file but what runs wrote, which is left out: "\S*out\/r-1" \(base/,
      ),
    ]);
    expect(await problemsOf(entry('../copied/*.md'))).toEqual([expect.stringContaining('what runs wrote')]);
  });

  test('a manifest beside what a run wrote still finds its files', async () => {
    await write('manifest.resolved.json', 'a.md', 'deep/b.md');
    expect(await idsOf(entry('**/*.md'))).toEqual(['a.md', 'deep/b.md']);
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

  test('a file that several entries name has the tags of all of them, each once, whichever counts', async () => {
    await write('core/a.md');
    const entries = [
      entry('core/a.md', { literal: true, id: 'A', tags: ['critical'] }),
      entry('**/*.md', { tags: ['spec', 'critical'] }),
      entry('core/*.md', { tags: ['core'] }),
    ];
    const { files } = await findFiles(base, entries);
    expect(files.map((file) => [file.documentId, file.tags])).toEqual([['A', ['critical', 'spec', 'core']]]);
  });
});

describe('entries that are wrong', () => {
  test('a glob without a match is told with what is there', async () => {
    await write('specs/a.md', 'specs/b.md', 'c.txt', 'node_modules/d.txt', 'node_modules/e.txt');
    expect(await findFiles(base, [entry('c.txt'), entry('specs/**/*.markdown')])).toMatchObject({
      problems: [{ index: 1, what: `"specs/**/*.markdown" matches no file (base ${base}; 2 files end in .md)` }],
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
      `documents[0] gives the id "spec", which stands for 2 files: "${join(base, 'a.md')}", "${join(base, 'b.md')}"`,
    ]);
    expect(await problemsOf(entry('a.md'), entry('c.txt', { id: 'a.md' }))).toEqual([
      `documents[1] gives the id "a.md", which stands for 2 files: "${join(base, 'a.md')}", "${join(base, 'c.txt')}"`,
    ]);
  });
});

describe('what a glob meets and cannot take is told, not skipped', () => {
  test('a folder that cannot be listed', async () => {
    await write('d/a.md');
    const long = 'x'.repeat(200);
    // Its path is longer than any call takes, which stops root as well; it can only come about in two halves.
    const upper = join(base, 'd', ...Array.from({ length: 10 }, () => long));
    const lower = join(root, ...Array.from({ length: 12 }, () => long));
    await mkdir(upper, { recursive: true });
    await mkdir(lower, { recursive: true });
    await rename(join(root, long), join(upper, 'moved'));
    try {
      const { files, problems } = await findFiles(base, [entry('d/**')]);
      expect(files.map(({ documentId }) => documentId)).toEqual(['d/a.md']);
      expect(problems).toEqual([
        {
          index: 0,
          what: expect.stringMatching(/^"d\/\*\*" may match in a folder that cannot be listed \(ENAMETOOLONG\): "\/.*x"$/),
          hint: 'put it right, or leave it out with "exclude" beside "include"',
        },
      ]);
      expect(await problemsOf(entry('d/*.md'), entry('d/**', { exclude: ['d/x*/**'] }))).toEqual([]);
    } finally {
      await rename(join(upper, 'moved'), join(root, long));
    }
  });

  test('links that lead nowhere or to themselves, unless they are left out', async () => {
    await write('d/a.md');
    await symlink('gone.md', join(base, 'd/b.md'));
    await symlink('gone.txt', join(base, 'd/b.txt'));
    await symlink('c.md', join(base, 'd/c.md'));
    expect(await problemsOf(entry('d/*.md'))).toEqual([
      `documents[0] "d/*.md" matches what is a link that leads nowhere: "${join(base, 'd/b.md')}"`,
      `documents[0] "d/*.md" matches what is a link that leads to itself: "${join(base, 'd/c.md')}"`,
    ]);
    expect(await problemsOf(entry('d/*.md', { exclude: ['d/[bc].md'] }))).toEqual([]);
    expect(await problemsOf(entry('d/b.md', { optional: true }), entry('d/c.md'))).toEqual([
      'documents[0] "d/b.md" is a link that leads nowhere',
      'documents[1] "d/c.md" is a link that leads to itself',
    ]);
  });

  test('a link to the folder that holds it is followed no further', async () => {
    await write('d/a.md');
    await symlink('.', join(base, 'd/loop'));
    expect(await findFiles(base, [entry('d/**/*')])).toMatchObject({ files: [{ documentId: 'd/a.md' }], problems: [] });
  });

  test.runIf(process.platform === 'linux')('files and folders whose names are no UTF-8', async () => {
    await write('d/a.md');
    const bytes = (name: string) => Buffer.concat([Buffer.from(`${base}/d/`), Buffer.from(name, 'latin1')]);
    writeFileSync(bytes('bad\xff.md'), 'x');
    mkdirSync(bytes('dir\xff'));
    const { files, problems } = await findFiles(base, [entry('d/**')]);
    expect(files.map(({ documentId }) => documentId)).toEqual(['d/a.md']);
    expect(problems.map(({ what }) => what)).toEqual([
      `"d/**" may match in a folder whose name is not UTF-8: "${base}/d/dir\ufffd"`,
      `"d/**" matches what has a name that is not UTF-8: "${base}/d/bad\ufffd.md"`,
    ]);
  });

  test('many of a kind are one problem', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await symlink('gone', join(base, `${name}.md`));
    expect(await problemsOf(entry('*.md'))).toEqual([
      `documents[0] "*.md" matches what is a link that leads nowhere: ${['a', 'b', 'c'].map((name) => `"${base}/${name}.md"`).join(', ')}, and 2 more`,
    ]);
  });
});

describe('pipes, devices and sockets', () => {
  test('are told of by a path and are no matches of a glob, also through a link', async () => {
    await write('a.md');
    await promisify(execFile)('mkfifo', [join(base, 'pipe.md')]);
    await symlink('/dev/zero', join(base, 'zero.md'));
    const server = createServer().listen(join(base, 'socket.md'));
    try {
      await new Promise((resolve) => server.once('listening', resolve));
      const what = 'is a pipe or a device, not a file';
      expect(await problemsOf(entry('pipe.md'), entry('/dev/zero', { optional: true }), entry('zero.md'), entry('socket.md'))).toEqual([
        `documents[0] "pipe.md" ${what}`,
        `documents[1] "/dev/zero" ${what}`,
        `documents[2] "zero.md" ${what}`,
        `documents[3] "socket.md" ${what}`,
      ]);
      expect(await findFiles(base, [entry('*')])).toMatchObject({ files: [{ documentId: 'a.md' }], problems: [] });
    } finally {
      server.close();
    }
  });
});
