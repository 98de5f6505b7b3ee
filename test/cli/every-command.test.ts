import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/cli/terminal/width.ts';
import { type Project, project } from '../e2e/project.ts';
import { aieval, BINARY } from './binary.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));
const JOB = 'documents/uart-registers.md:requirements:hasty';

type Command = {
  readonly args: readonly string[];
  readonly exitCode?: number;
  /** Its product is the same with and without `--json`. */
  readonly same?: boolean;
  /** Its product is a text of its own, which no terminal breaks. */
  readonly product?: boolean;
};

/** Every command as a user types it after a run of the quickstart. */
const COMMANDS: readonly Command[] = [
  { args: ['validate', 'manifest.json'] },
  { args: ['plan', 'manifest.json'] },
  { args: ['plan', 'manifest.json', '--list'] },
  { args: ['plan', 'manifest.json', '--why', JOB] },
  // What its panel draws is another test's.
  { args: ['run', 'manifest.json'], product: true },
  { args: ['status'] },
  { args: ['status', '--all'] },
  { args: ['scale'] },
  { args: ['show', JOB] },
  { args: ['show', JOB, '--attempts'] },
  { args: ['show', JOB, '--prompt'], product: true },
  { args: ['show', JOB, '--raw'], product: true },
  { args: ['show', JOB, '--doc'], product: true },
  { args: ['logs'], product: true },
  { args: ['logs', '--failed'], product: true },
  { args: ['summary'], product: true },
  { args: ['summary', '--format', 'txt'], same: true },
  { args: ['report', '-o', 'report.html'] },
  { args: ['export', '--format', 'jsonl'], same: true, product: true },
  { args: ['artifacts', 'pull'] },
  { args: ['extract', 'documents/uart-registers.md', '--sections'] },
  { args: ['quote', 'documents/uart-registers.md', 'Reserved bits shall be written as zero.'] },
  { args: ['cancel'] },
  { args: ['budget', 'show'] },
  { args: ['store', 'show'] },
  { args: ['store', 'copy', '.aieval/aieval.db', 'copy.db', '--dry-run'] },
  { args: ['cache', 'stats'] },
  { args: ['gc', '--dry-run'] },
  { args: ['doctor'] },
  { args: ['doctor', 'manifest.json'] },
];

/** One object, set in lines or not, or one a line. */
function recordsOf(stdout: string): unknown[] {
  if (stdout.startsWith('{\n')) return [JSON.parse(stdout)];
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const COMMAND_COLUMNS = 60;

describe('every command', () => {
  let place: Project;
  let listed: string[] = [];
  beforeAll(async () => {
    place = project();
    cpSync(QUICKSTART, place.dir, { recursive: true });
    expect(await place.aieval('run', 'manifest.json')).toMatchObject({ exitCode: 0 });
    const { stdout } = await place.aieval('--help');
    listed = [...(stdout.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name = '']) => name);
  });
  afterAll(() => place.remove());

  test('has help with an example and its exit codes', async () => {
    for (const name of listed.filter((each) => each !== 'help')) {
      const { stdout, exitCode } = await place.aieval(name, '--help');
      expect({ name, exitCode }).toEqual({ name, exitCode: 0 });
      expect(stdout, name).toMatch(/^Usage: aieval /);
      expect(stdout, name).toMatch(/^Examples:\n {2}\S/m);
      expect(stdout, name).toMatch(/^Exit codes: /m);
      expect(
        stdout.split('\n').filter((line) => line.length > 100),
        name,
      ).toEqual([]);
    }
  });

  test.each(COMMANDS)('$args prints no escape sequence into a pipe', async ({ args, exitCode = 0 }) => {
    const ended = await place.aieval(...args);
    expect(ended).toMatchObject({ exitCode });
    expect(`${ended.stdout}${ended.stderr}`).not.toContain('\u001b');
    expect(ended.stdout + ended.stderr).not.toBe('');
  });

  test.each(COMMANDS.filter(({ same }) => same !== true))(
    '$args --json prints JSON objects with "v": 1, and nothing else',
    async ({ args, exitCode = 0 }) => {
      const ended = await place.aieval(...args, '--json');
      expect(ended).toMatchObject({ exitCode });
      const records = recordsOf(ended.stdout);
      expect(records.length).toBeGreaterThan(0);
      for (const record of records) expect(record).toMatchObject({ v: 1 });
    },
  );

  const onTerminal = test.skipIf(process.platform !== 'linux').each(COMMANDS.filter(({ product }) => product !== true));
  onTerminal('$args fits a terminal of 60 columns and leaves its cursor visible', ({ args, exitCode = 0 }) => {
    const line = [process.execPath, BINARY, ...args].map((word) => `'${word}'`).join(' ');
    const { PATH = '', HOME = '' } = process.env;
    const { status, stdout } = spawnSync('script', ['-qfec', `stty cols ${COMMAND_COLUMNS} rows 40; ${line}`, '/dev/null'], {
      cwd: place.dir,
      env: { PATH, HOME, TERM: 'xterm-256color' },
      encoding: 'utf8',
      input: '',
    });
    expect(status).toBe(exitCode);
    expect(stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThanOrEqual(stdout.lastIndexOf('\u001b[?25l'));
    const wide = stripVTControlCharacters(stdout)
      .split(/[\r\n]+/)
      // What is to be typed or opened stays whole, whatever its length.
      .filter((text) => columnsOf(text) > COMMAND_COLUMNS && !/aieval |\//.test(text));
    expect(wide).toEqual([]);
  });

  test('of a manifest in another folder finds it with -C', async () => {
    const { exitCode } = await aieval(['-C', place.dir, 'status', '--exit-status'], { cwd: join(place.dir, 'documents') });
    expect(exitCode).toBe(0);
  });
});
