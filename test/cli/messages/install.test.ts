import { cpSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { aieval } from '../binary.ts';
import { DOCUMENT, folder, manifestText } from './case.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

test('E25: the database driver without its native part says how to build it', async () => {
  const { dir } = folder({ files: { 'manifest.json': manifestText(), ...DOCUMENT } });
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(dir, part), { recursive: true });
  const modules = join(ROOT, 'node_modules');
  mkdirSync(join(dir, 'node_modules'));
  for (const name of readdirSync(modules)) if (name !== 'better-sqlite3') symlinkSync(join(modules, name), join(dir, 'node_modules', name));
  cpSync(join(modules, 'better-sqlite3'), join(dir, 'node_modules/better-sqlite3'), {
    recursive: true,
    filter: (path) => !path.endsWith('.node') && !path.includes('/deps'),
  });
  const { exitCode, stderr } = await aieval(['run', 'manifest.json', '--json'], { cwd: dir, binary: join(dir, 'bin/aieval.js') });
  const [first, next, record = ''] = stderr.replace(/^Runs.*\n/, '').split('\n');
  expect([exitCode, first, next]).toEqual([
    8,
    'error[E25]: better-sqlite3 was installed without its native part (npm install scripts are blocked)',
    `next: npm rebuild better-sqlite3 --ignore-scripts=false --prefix ${realpathSync(dir)}`,
  ]);
  expect(JSON.parse(record)).toMatchObject({ v: 1, event: 'error', code: 'E25', exitCode: 8 });
});

test('E25: a Node that is too old is told before anything else is loaded', async () => {
  const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })`;
  const { dir } = folder();
  expect(await aieval(['status'], { cwd: dir, nodeArguments: ['--import', old] })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error[E25]: aieval needs Node >= 20.19, this is 18.19.0\nnext: install a newer Node, e.g. nvm install 22\n',
  });
});
