import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFiles } from '../../../src/documents/files/find-files.ts';
import { unmatchedFiles } from '../../../src/documents/files/unmatched-files.ts';
import type { DocumentEntry } from '../../../src/domain/manifest/resolved.ts';

let base = '';
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'aieval-files-'));
});
afterEach(() => rm(base, { recursive: true }));

async function write(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(base, name)), { recursive: true });
    await writeFile(join(base, name), 'x');
  }
}

function entry(include: string, more: Partial<DocumentEntry> = {}): DocumentEntry {
  const rest = { exclude: [], id: null, tags: [], passwordEnv: null, format: null, charset: null, optional: false };
  return { include, literal: false, ...rest, ...more };
}

async function unmatched(entries: readonly DocumentEntry[], others: readonly string[] = []) {
  const { files } = await findFiles(base, entries);
  return await unmatchedFiles(base, { files, entries, others: new Set(others.map((name) => join(base, name))) });
}

test('what looks like a document beside others of a glob, and matches nothing, is told by folder', async () => {
  await write('specs/a.md', 'specs/B.DOCX', 'specs/c.txt.gz', 'specs/d.odt', 'specs/figure.png', 'specs/.hidden.md', 'specs/~$B.docx');
  await write('specs/deep [1]/e.md', 'specs/deep [1]/f.pdf', 'elsewhere/g.pdf', 'h.md', 'i.tex');
  expect(await unmatched([entry('specs/**/*.md'), entry('h.md')])).toEqual([
    { folder: '.', names: ['i.tex'] },
    { folder: 'specs', names: ['B.DOCX', 'c.txt.gz', 'd.odt'] },
    { folder: 'specs/deep [1]', names: ['f.pdf'] },
  ]);
});

test('what the manifest leaves out or names itself, and the neighbours of one named file, are no oversight', async () => {
  await write('specs/a.pdf', 'specs/draft.md', 'specs/prompt.md', 'one/a.md', 'one/b.md');
  const entries = [entry('specs/*.pdf', { exclude: ['specs/draft*'] }), entry('one/a.md', { literal: true })];
  expect(await unmatched(entries, ['specs/prompt.md'])).toEqual([]);
});
