import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Project, project } from '../e2e/project.ts';
import { aieval, type Ended } from './binary.ts';

const QUICKSTART = fileURLToPath(new URL('../../fixtures/quickstart', import.meta.url));
const SERVER = 'postgres://ae:HUNTER2@h/leak';

let folder: Project;
beforeAll(async () => {
  folder = project({});
  cpSync(QUICKSTART, folder.dir, { recursive: true });
  expect((await aieval(['run', 'manifest.json'], { cwd: folder.dir })).exitCode).toBeLessThan(10);
}, 60_000);
afterAll(() => folder.remove());

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => aieval(args, { cwd: folder.dir, env });

describe('a URL in the place of a path', () => {
  test.each([
    [['validate', SERVER], '<manifest>'],
    [['plan', SERVER], '<manifest>'],
    [['run', SERVER], '<manifest>'],
    [['doctor', SERVER], '<manifest>'],
    [['init', SERVER], '<dir>'],
    [['extract', SERVER], '<file>'],
    [['quote', SERVER, 'text'], '<file>'],
    [['cache', 'import', 'a.jsonl', SERVER], '<file>'],
    [['cache', 'export', SERVER], '<file>'],
    [['--out', SERVER, 'status'], '--out'],
    [['--env', 'none.env', '--env', SERVER, 'status'], '--env'],
    [['-C', SERVER, 'status'], '-C'],
    [['run', 'manifest.json', '--log-file', SERVER], '--log-file'],
    [['run', 'manifest.json', '--record', SERVER], '--record'],
    [['report', '-o', SERVER], '--output'],
    [['export', '--format', 'csv', '-o', SERVER], '--output'],
    [['export', '--format', 'csv', '--from', SERVER], '--from'],
    [['summary', '--from', SERVER], '--from'],
  ])('%j is refused, and not repeated', async (args, name) => {
    const { exitCode, stderr } = await run(args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error[E00]: ${name} must be a path, got a URL; a database is named with --store\nnext: --store postgres://user@host:5432/database\n`,
    });
  });

  test('of a document on the web says what to do; a quote may be one', async () => {
    expect((await run(['extract', 'https://ann:HUNTER2@h/paper.pdf'])).stderr).toBe(
      'error[E00]: <file> must be a path, got a URL; save what is there as a file first\nnext: aieval extract --help\n',
    );
    expect((await run(['quote', 'documents/uart-registers.md', 'https://lab.example'])).exitCode).toBe(1);
  });
});

describe('the password of a URL', () => {
  test.each([
    [['show', SERVER]],
    [['show', '--run', SERVER, 'x']],
    [['status', SERVER]],
    [['summary', SERVER]],
    [['logs', '--job', SERVER]],
    [['retry', '--job', SERVER]],
    [['retry', SERVER]],
    [['cancel', SERVER]],
    [['worker', SERVER]],
    [['plan', 'manifest.json', '--why', SERVER]],
    [['plan', 'manifest.json', '--document', SERVER]],
    [['run', 'manifest.json', '--profile', SERVER]],
    [['run', 'manifest.json', '--concurrency', SERVER]],
    [['run', 'manifest.json', '--allow-host', SERVER]],
    [['run', 'manifest.json', '--metrics', SERVER]],
    [['worker', '--tags', SERVER]],
    [['budget', 'reset', SERVER, '--yes']],
    [['store', 'set', SERVER, '1']],
    [['store', 'set', 'maxRunning', SERVER]],
    [['cache', 'invalidate', '--endpoint', SERVER]],
    [['cache', 'invalidate', '--before', SERVER]],
    [['completion', SERVER]],
    [['status', '--display', SERVER]],
    [['--db', SERVER, 'status']],
    [['store', 'copy', '.aieval/aieval.db', 'mysql://ae:HUNTER2@h/leak']],
    [[SERVER]],
    [['store', SERVER]],
    [['status', `--foo=${SERVER}`]],
    [[`--${SERVER}`]],
  ])('is not repeated of %j', async (args) => {
    // Then stderr has the words and the object.
    const { exitCode, stdout, stderr } = await run(['--json', ...args]);
    expect(exitCode).not.toBe(70);
    expect(stdout + stderr).not.toContain('HUNTER2');
  });

  test.each(['AIEVAL_OUT', 'AIEVAL_LOG_FILE', 'AIEVAL_DB', 'AIEVAL_DISPLAY', 'AIEVAL_METRICS', 'AIEVAL_PROFILE', 'AIEVAL_CONFIG'])(
    'is not repeated of %s',
    async (variable) => {
      const { exitCode, stdout, stderr } = await run(['run', 'manifest.json'], { [variable]: SERVER });
      expect(exitCode).toBe(2);
      expect(stdout + stderr).not.toContain('HUNTER2');
    },
  );

  test('in a user config that is no JSON is told neither in words nor as JSON, and the file by its name', async () => {
    const home = join(folder.dir, 'xdg');
    mkdirSync(join(home, 'aieval'), { recursive: true });
    const path = join(home, 'aieval', 'config.json');
    for (const text of [`{"store":"${SERVER}" "display":"plain"}`, `{"store":"${SERVER},\n"display":"plain"}`, `{"logFile":"${SERVER}"}`]) {
      writeFileSync(path, text);
      const { exitCode, stdout, stderr } = await run(['--json', 'status'], { XDG_CONFIG_HOME: home });
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`error[${text.includes('logFile') ? 'E07' : 'E02'}]: ${path}:1:`);
      expect(stdout + stderr).not.toContain('HUNTER2');
    }
  });
});
