import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withEnvFiles } from '../../../src/cli/config/env-file.ts';
import { type Project, project } from '../../e2e/project.ts';
import { fakeIo } from '../fake-io.ts';

let folder: Project;

beforeEach(() => {
  folder = project({
    files: { '.env': 'A=file\nB="two words" # why\nexport C=3\n', 'one.env': 'A=one\nD=one\n', 'two.env': 'D=two\n' },
  });
});

afterEach(() => folder.remove());

const read = (env: Record<string, string>, given: readonly string[] = []) =>
  withEnvFiles(fakeIo({ cwd: folder.dir, env }), given, [folder.dir]);

test('.env fills what the shell has not set, be it to nothing', () => {
  const filled = read({ A: 'shell', C: '' });
  expect(filled.env).toEqual({ A: 'shell', B: 'two words', C: '' });
  expect(filled.read).toEqual([{ path: join(folder.dir, '.env'), names: ['B'] }]);
});

test('.env is not read in CI, nor where there is none', () => {
  expect(read({ CI: 'true' })).toEqual({ env: { CI: 'true' }, read: [] });
  expect(read({ CI: 'false' }).env.A).toBe('file');
  expect(withEnvFiles(fakeIo({ env: {} }), [], [join(folder.dir, 'none')]).read).toEqual([]);
  expect(withEnvFiles(fakeIo({ env: {} }), [], []).read).toEqual([]);
});

test('--env takes its place, in CI too, and of several the later counts', () => {
  expect(read({ CI: 'true' }, ['one.env', 'two.env'])).toEqual({
    env: { CI: 'true', A: 'one', D: 'two' },
    read: [
      { path: join(folder.dir, 'two.env'), names: ['D'] },
      { path: join(folder.dir, 'one.env'), names: ['A'] },
    ],
  });
});

test('an --env that is not there is an error', () => {
  expect(() => read({}, ['none.env'])).toThrow(`cannot read the environment file ${join(folder.dir, 'none.env')} (ENOENT)`);
});

test.each([
  ['A=abc#1', 'abc#1'],
  ['A=#abc', '#abc'],
  ['A = abc#1 # why', 'abc#1'],
  ['export A=abc#1#2\t#why', 'abc#1#2'],
  ['A=postgres://ann@db.example/specs#x', 'postgres://ann@db.example/specs#x'],
  ['A=abc # why', 'abc'],
  ['A= # why', ''],
  ['A=# why', ''],
  ['A=#', ''],
  ['A=it\'s"5`#1', 'it\'s"5`#1'],
  ["A='a # b' # why", 'a # b'],
  ['A="a#b"#why', 'a#b'],
  ['A="a\nB=x#y\nb"', 'a\nB=x#y\nb'],
  ['A=one#1\nA=two', 'two'],
  ['A=one\r\nA=two#2\r\n', 'two#2'],
  ['A="one"\nA=two#2', 'two#2'],
  ['A=one#1\nA="two"', 'two'],
  ['# A=abc#1\nA=abc#2', 'abc#2'],
])('# begins a remark only after white space: %j', (text, value) => {
  writeFileSync(join(folder.dir, 'hash.env'), `${text}\nZ=last\n`);
  expect(read({}, ['hash.env']).env).toMatchObject({ A: value, Z: 'last' });
  expect(read({}, ['hash.env']).env).not.toHaveProperty('B');
});
