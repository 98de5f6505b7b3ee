import { expect, test } from 'vitest';
import type { DocumentEntry } from '../../src/domain/manifest/resolved.ts';
import { sourcePaths } from '../../src/engine/source-paths.ts';

const entry = (include: string, id: string | null): DocumentEntry => ({
  ...{ include, id, literal: id !== null, exclude: [], tags: [], passwordEnv: null, format: null, charset: null, optional: false },
});

function paths(repository: string | null, documents: readonly DocumentEntry[] = []) {
  const run = { manifestPath: '/home/ann/spec/eval/manifest.json', manifest: { documents } };
  return sourcePaths(run, (path) => path === `${repository}/.git`);
}

test('a document is found from the root of the repository that its manifest is in', () => {
  expect(paths('/home/ann/spec')('docs/a.md')).toBe('eval/docs/a.md');
  expect(paths('/home/ann/spec')('../docs/a.md')).toBe('docs/a.md');
  expect(paths('/home/ann/spec/eval')('docs/a.md')).toBe('docs/a.md');
});

test('without a repository it is found from the folder of its manifest', () => {
  expect(paths(null)('docs/a.md')).toBe('docs/a.md');
});

test('a document with a name of its own is found by its path', () => {
  const path = paths('/home/ann/spec', [entry('docs/*.md', null), entry('docs/auth.md', 'auth')]);
  expect([path('auth'), path('docs/b.md')]).toEqual(['eval/docs/auth.md', 'eval/docs/b.md']);
});
