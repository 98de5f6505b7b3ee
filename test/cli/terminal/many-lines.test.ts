import { expect, test } from 'vitest';
import { manyLines } from '../../../src/cli/terminal/many-lines.ts';
import { shellWord } from '../../../src/cli/terminal/shell-word.ts';

test('text keeps its lines and loses what would command a terminal', () => {
  expect(manyLines('a\r\nb\tc\u001b[31m\n\u001b]8;;http://x\u0007link\u001b]8;;\u0007\u202e!\u0007\u009b2J')).toBe('a\nb    c\nlink!');
});

test('text loses what would command the log of a build, and nothing that only looks like it', () => {
  expect(manyLines('a ##vso[task.setvariable]x\n  ::error file=a::b\n#\u202e#[error]c\n\t::add-mask::d')).toBe(
    'a ＃#vso[task.setvariable]x\n  ：:error file=a::b\n＃#[error]c\n    ：:add-mask::d',
  );
  const harmless = '## Heading\nstd::string a::b\n ::before {}\n### [link](x)';
  expect(manyLines(harmless)).toBe(harmless);
});

test('a command that is printed can be typed as it stands', () => {
  expect(['specs/a-1.md', 'my file.md', "it's", '$(rm)'].map(shellWord)).toEqual(['specs/a-1.md', "'my file.md'", "'it'\\''s'", "'$(rm)'"]);
});
