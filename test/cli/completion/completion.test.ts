import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SHELLS } from '../../../src/cli/commands/options.ts';
import { type Project, project } from '../../e2e/project.ts';
import { BINARY } from '../binary.ts';
import { quickstartRun } from '../quickstart-run.ts';

let place: Project;
let runId: string;
beforeAll(async () => {
  ({ place, runId } = await quickstartRun());
});
afterAll(() => place.remove());

/** The real script in a real bash: `words` are cut as bash cuts them, the last one is completed. */
function inBash(line: string, words: readonly string[], there = place): string[] {
  const bin = join(there.dir, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'aieval'), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`);
  chmodSync(join(bin, 'aieval'), 0o755);
  const script = `set -u
source <(aieval completion bash)
COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=("\${@:2}") COMP_CWORD=$(($# - 2))
_aieval
for reply in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do printf '%s\\n' "$reply"; done`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', line, ...words], {
    cwd: there.dir,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: there.dir, LANG: 'C.UTF-8' },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').slice(0, -1);
}

describe('in bash', () => {
  test('commands, and commands of commands', () => {
    expect(inBash('aieval ex', ['aieval', 'ex'])).toEqual(['export', 'extract']);
    expect(inBash('aieval cache e', ['aieval', 'cache', 'e'])).toEqual(['export']);
    expect(inBash('aieval help ca', ['aieval', 'help', 'ca'])).toEqual(['cancel', 'cache']);
    expect(inBash('aieval compl', ['aieval', 'compl'])).toEqual(['completion']);
  });

  test('options of the command and of the program, and their values', () => {
    expect(inBash('aieval export --fo', ['aieval', 'export', '--fo'])).toEqual(['--format']);
    expect(inBash('aieval export --js', ['aieval', 'export', '--js'])).toEqual(['--json']);
    expect(inBash('aieval export --format ', ['aieval', 'export', '--format', ''])).toEqual(['junit', 'csv', 'jsonl', 'sarif', 'badge']);
    expect(inBash('aieval export --format=s', ['aieval', 'export', '--format', '=', 's'])).toEqual(['sarif']);
    expect(inBash('aieval retry --reason ti', ['aieval', 'retry', '--reason', 'ti'])).toEqual(['timeout']);
    expect(inBash('aieval completion ', ['aieval', 'completion', ''])).toEqual([...SHELLS]);
  });

  test('runs, jobs, documents, tasks and models of the database', () => {
    expect(inBash('aieval status ', ['aieval', 'status', ''])).toEqual(['latest', runId]);
    expect(inBash(`aieval summary ${runId.slice(0, 4)}`, ['aieval', 'summary', runId.slice(0, 4)])).toEqual([runId]);
    expect(inBash('aieval show documents/u', ['aieval', 'show', 'documents/u'])).toEqual([
      'documents/uart-registers.md:requirements:careful',
      'documents/uart-registers.md:requirements:hasty',
      'documents/uart-registers.md:ambiguity:careful',
      'documents/uart-registers.md:ambiguity:hasty',
    ]);
    expect(
      inBash('aieval logs --job documents/uart-registers.md:am', ['aieval', 'logs', '--job', 'documents/uart-registers.md', ':', 'am']),
    ).toEqual(['ambiguity:careful', 'ambiguity:hasty']);
    expect(inBash('aieval run m.json --task ', ['aieval', 'run', 'm.json', '--task', ''])).toEqual(['requirements', 'ambiguity']);
    expect(inBash('aieval run m.json --model=h', ['aieval', 'run', 'm.json', '--model', '=', 'h'])).toEqual(['hasty']);
    expect(inBash('aieval cancel --document documents/l', ['aieval', 'cancel', '--document', 'documents/l'])).toEqual([
      'documents/lease-protocol.txt',
    ]);
  });

  test('from the folder or the database that the line names', () => {
    const elsewhere = project();
    try {
      expect(inBash('aieval status ', ['aieval', 'status', ''], elsewhere)).toEqual(['latest']);
      expect(inBash(`aieval -C ${place.dir} status r`, ['aieval', '-C', place.dir, 'status', 'r'], elsewhere)).toEqual([runId]);
      const db = join(place.dir, '.aieval', 'aieval.db');
      expect(inBash(`aieval --db ${db} status r`, ['aieval', '--db', db, 'status', 'r'], elsewhere)).toEqual([runId]);
      expect(readdirSync(elsewhere.dir)).toEqual(['bin']);
    } finally {
      elsewhere.remove();
    }
  });

  test('files of another folder, where the line names one', () => {
    const there = project({ files: { 'sub dir/manifest.json': '', 'sub dir/more/x': '', 'sub dir/.hidden': '', 'manifest.yaml': '' } });
    try {
      expect(inBash("aieval -C 'sub dir' run m", ['aieval', '-C', "'sub dir'", 'run', 'm'], there)).toEqual(['manifest.json', 'more/']);
      expect(inBash('aieval -C sub\\ dir export -o more/', ['aieval', '-C', 'sub\\ dir', 'export', '-o', 'more/'], there)).toEqual([
        'more/x',
      ]);
      expect(inBash('aieval -C nowhere run ', ['aieval', '-C', 'nowhere', 'run', ''], there)).toEqual([]);
    } finally {
      there.remove();
    }
  });

  test('files are left to the shell', () => {
    expect(inBash('aieval run quick', ['aieval', 'run', 'quick'])).toEqual([]);
    expect(inBash('aieval export -o ', ['aieval', 'export', '-o', ''])).toEqual([]);
  });
});

const candidates = async (...args: string[]) => await place.aieval('complete', ...args);

test('what is next is told first, then one candidate a line with a remark', async () => {
  expect(await candidates('--word=', '--', 'run')).toEqual({ exitCode: 0, stdout: 'files\n', stderr: '' });
  expect(await candidates('--word=', '--', 'init')).toEqual({ exitCode: 0, stdout: 'folders\n', stderr: '' });
  const { stdout } = await candidates('--word=r', '--', 'status');
  expect(stdout).toBe(`words\n${runId}\tquickstart, finished\n`);
  expect((await candidates('--word=--', '--', 'run', '--', 'x')).stdout).toBe('words\n');
});

test.each([
  ['unknown commands', ['nosuch', '']],
  ['too many arguments', ['status', 'a', 'b']],
  ['an option without a value list', ['run', '--max-cost']],
])('%s complete to nothing', async (_, words) => {
  expect(await candidates('--word=', '--', ...words)).toEqual({ exitCode: 0, stdout: 'words\n', stderr: '' });
});

test('a database that is locked, damaged or strange gives no names, and no words about it', async () => {
  const other = project({ files: { 'damaged.db': 'this is no database', 'empty.db': '' } });
  try {
    const locked = new BetterSqlite3(join(other.dir, 'locked.db'));
    locked.exec('CREATE TABLE runs (run_id TEXT); BEGIN EXCLUSIVE');
    for (const name of ['damaged.db', 'empty.db', 'locked.db', 'missing.db', 'postgres://nowhere/x']) {
      expect(await other.aieval('complete', '--word=', '--', '--db', name, 'status')).toEqual({
        exitCode: 0,
        stdout: 'words\nlatest\tthe newest run\n',
        stderr: '',
      });
    }
    locked.close();
    expect(existsSync(join(other.dir, 'missing.db'))).toBe(false);
  } finally {
    other.remove();
  }
});

test('names that a shell would run are quoted, and names that nobody can type are left out', async () => {
  const names = ['a b.md', '$(touch pwned).md', "it's.md", 'new\nline.md', 'esc\u001b[31m.md', 'turned\u202edm.md'];
  const hostile = project({
    files: {
      ...Object.fromEntries(names.map((name) => [`docs/${name}`, '# A\n\nText.\n'])),
      'manifest.json': JSON.stringify({
        version: 1,
        documents: ['docs/*.md'],
        providers: { sim: { type: 'simulated' } },
        models: { m: { provider: 'sim', model: 'm' } },
        tasks: { t: { prompt: '{{document}}', output: { format: 'text' }, checks: [] } },
      }),
    },
  });
  try {
    expect(await hostile.aieval('run', 'manifest.json', '-q')).toMatchObject({ exitCode: 0 });
    const replies = inBash('aieval plan m --document ', ['aieval', 'plan', 'm', '--document', ''], hostile);
    expect(replies.sort()).toEqual(['docs/\\$\\(touch\\ pwned\\).md', 'docs/a\\ b.md', "docs/it\\'s.md"]);
    expect(inBash('aieval show docs/a\\ b', ['aieval', 'show', 'docs/a\\ b'], hostile)).toEqual(['docs/a\\ b.md:t:m']);
    // Behind an open quote a backslash is one more character; bash closes the quote itself.
    expect(inBash("aieval show 'docs/a", ['aieval', 'show', "'docs/a"], hostile)).toEqual(['docs/a b.md:t:m']);
    expect(inBash("aieval show docs/'a b", ['aieval', 'show', "docs/'a b"], hostile)).toEqual(['a b.md:t:m']);
    expect(inBash("aieval plan m --document='docs/a", ['aieval', 'plan', 'm', '--document', '=', "'docs/a"], hostile)).toEqual([
      'docs/a b.md',
    ]);
    expect(inBash("aieval show 'docs/i", ['aieval', 'show', "'docs/i"], hostile)).toEqual(["docs/it'\\''s.md:t:m"]);
    expect(inBash('aieval show "docs/$', ['aieval', 'show', '"docs/$'], hostile)).toEqual(['docs/\\$(touch pwned).md:t:m']);
    expect(existsSync(join(hostile.dir, 'pwned'))).toBe(false);
  } finally {
    hostile.remove();
  }
});

const installed = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

test.each(SHELLS)('the script for %s is printed, and a shell can read it', async (shell) => {
  const { exitCode, stdout, stderr } = await place.aieval('completion', shell);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('aieval complete "--word=');
  place.write(`completion.${shell}`, stdout);
  if (shell !== 'powershell' && installed(shell)) execFileSync(shell, ['-n', `completion.${shell}`], { cwd: place.dir });
});

test('another shell is a usage error that names those there are', async () => {
  expect(await place.aieval('completion', 'tcsh')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish, powershell'),
  });
});
