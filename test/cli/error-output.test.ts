import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportError } from '../../src/cli/error-output.ts';
import { shellWord } from '../../src/cli/terminal/shell-word.ts';
import { UserError } from '../../src/domain/errors.ts';
import { FakeStream, fakeIo } from './fake-io.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'aieval-error-'));
  mkdirSync(join(cwd, '.aieval'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

type Look = { json?: boolean; colour?: boolean; argv?: string[]; env?: Record<string, string>; columns?: number };

function report(error: unknown, look: Look = {}) {
  const stderr = new FakeStream(look.columns);
  const io = fakeIo({ cwd, stderr, env: look.env ?? {} });
  const exitCode = reportError(error, { io, argv: look.argv ?? ['status'], json: look.json ?? false, colour: look.colour ?? false });
  return { exitCode, lines: stderr.lines };
}

const KNOWN = new UserError({
  code: 'E03',
  exitCode: 2,
  message: 'documents[0] "*.mdx" matches no file',
  next: ['ls', 'aieval validate m.json'],
});

describe('what ends a command', () => {
  test('an error that the user can mend is one line and what to type, without a stack', () => {
    expect(report(KNOWN)).toEqual({
      exitCode: 2,
      lines: ['error[E03]: documents[0] "*.mdx" matches no file', 'next: ls', 'next: aieval validate m.json'],
    });
  });

  test('with --json the last line is the error as an object', () => {
    expect(JSON.parse(report(KNOWN, { json: true }).lines.at(-1) ?? '')).toEqual({
      v: 1,
      event: 'error',
      code: 'E03',
      exitCode: 2,
      message: 'documents[0] "*.mdx" matches no file',
      next: ['ls', 'aieval validate m.json'],
    });
  });

  test('on a terminal a message breaks between words; paths, source lines and commands stay whole, and elsewhere all of it', () => {
    const path = `/home/ann/${'deep/'.repeat(8)}manifest.json`;
    const frame = '  {"documents": ["*.md", "a very long line of a manifest"]}\n                  ^';
    const message = `the manifest that this run was started with is not in its folder any more: ${path} was moved\n${frame}`;
    const error = new UserError({ code: 'E01', exitCode: 2, message, next: [`aieval -C ${path} status, which is a long command`] });
    const next = `next: aieval -C ${path} status, which is a long command`;
    expect(report(error, { columns: 40 }).lines).toEqual([
      'error[E01]: the manifest that this run',
      '  was started with is not in its folder',
      '  any more:',
      `  ${path}`,
      '  was moved',
      ...frame.split('\n'),
      next,
    ]);
    expect(report(error, { columns: 40, colour: true }).lines[0]).toBe('\u001b[31merror[E01]:\u001b[39m the manifest that this run');
    expect(report(error).lines).toEqual([...`error[E01]: ${message}`.split('\n'), next]);
  });

  test('a message cannot command the terminal', () => {
    const hostile = new UserError({ code: 'E03', exitCode: 2, message: 'a\u001b]0;owned\u0007b\u001b[2J\u202ec' });
    expect(report(hostile).lines).toEqual(['error[E03]: abc']);
  });

  test('the password of a database is masked in the words of a bug, wherever it was said', () => {
    const env = { AIEVAL_STORE: 'postgres://ann:s3cret%2Fone@db.example/specs' };
    const argv = ['status', '--store', 'postgres:///specs?password=s3cret-two'];
    const { lines } = report(new TypeError('s3cret/one s3cret%2Fone s3cret-two'), { env, argv });
    expect(lines[0]).toBe('error[E99]: TypeError: *** *** ***');
  });

  test('anything else is a bug: 70, the stack with its causes but not their words, a report, and the wish to hear of it', () => {
    const { exitCode, lines } = report(new TypeError('x is undefined', { cause: new Error('deep') }), { json: true });
    expect(exitCode).toBe(70);
    expect(lines[0]).toBe('error[E99]: TypeError: x is undefined');
    expect(lines.join('\n')).toContain('error-output.test.ts');
    expect(lines).toContain('caused by: Error');
    expect(lines.join('\n')).not.toContain('deep');
    expect(lines.join('\n')).toContain('please report this');
    expect(lines.join('\n')).toContain(`report saved to ${cwd}/.aieval/crash-`);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'E99', exitCode: 70, message: 'TypeError: x is undefined' });
    expect(report('thrown text').lines[0]).toBe('error[E99]: thrown text');
  });

  test('a database driver without its native part is E25, whatever it throws', () => {
    const missing = Object.assign(new Error('Could not locate the bindings file. Tried: …'), { tries: ['a', 'b'] });
    const other = Object.assign(new Error('compiled against a different Node.js version'), { code: 'ERR_DLOPEN_FAILED' });
    for (const error of [missing, other]) {
      const { exitCode, lines } = report(error);
      expect(exitCode).toBe(8);
      expect(lines[0]).toContain('error[E25]: ');
      expect(lines[1]).toBe(`next: npm rebuild better-sqlite3 --ignore-scripts=false --prefix ${shellWord(ROOT)}`);
    }
  });
});
