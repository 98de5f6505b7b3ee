import { describe, expect, test } from 'vitest';
import { workflowCommand } from '../../src/report/workflow-command.ts';

describe('a command of GitHub Actions', () => {
  test.each([
    [
      workflowCommand('error', { file: 'specs/auth.md', line: 88, title: 'ambiguity / fast' }, 'failed'),
      '::error file=specs/auth.md,line=88,title=ambiguity / fast::failed',
    ],
    [workflowCommand('notice', {}, 'done'), '::notice::done'],
    [workflowCommand('warning', { file: undefined, line: undefined, title: 'x' }, 'y'), '::warning title=x::y'],
    [workflowCommand('group', {}, 'Failures'), '::group::Failures'],
    [workflowCommand('endgroup', {}, ''), '::endgroup::'],
  ])('%s', (command, expected) => {
    expect(command).toBe(expected);
  });

  test('has its per cent signs and line breaks escaped in the message, colons and commas in the properties too', () => {
    expect(workflowCommand('error', { title: 'a: 5 %, b' }, '100 %\none: two, three\r\nfour\rfive')).toBe(
      '::error title=a%3A 5 %25%2C b::100 %25%0Aone: two, three%0Afour%0Afive',
    );
    expect(workflowCommand('error', {}, 'an escape of its own: %0A::error::no')).toBe('::error::an escape of its own: %250A::error::no');
  });

  test('has nothing in it that does not print', () => {
    expect(workflowCommand('error', { title: 'a\u0000\n\u202eb\u2028c' }, '\u001b[31mred\u001b[0m\u200b \u2029\u0085 end ##[error]')).toBe(
      '::error title=a b c::red end ＃#[error]',
    );
  });

  test('is short, and soon there, however long the text is', () => {
    const long = `${'\u009d'.repeat(100_000)}\n`.repeat(50);
    expect(workflowCommand('error', { title: long }, long + 'w'.repeat(1_000_000)).length).toBeLessThan(100);
    expect(workflowCommand('error', {}, 'w '.repeat(1_000_000)).length).toBeLessThan(4100);
  });
});
