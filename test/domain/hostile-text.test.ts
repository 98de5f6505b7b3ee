import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLine, oneLine } from '../../src/domain/hostile-text.ts';
import { NAMED_PAYLOADS, PAYLOADS } from '../report/hostile.ts';

const FORBIDDEN = /\p{Cc}|\p{Cs}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029]|<!--|##\w*\[/u;

describe('oneLine', () => {
  test.each([
    ['The server MUST retry', 'The server MUST retry'],
    ['two\n  lines\tand a tab ', 'two lines and a tab'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b31mred', 'red'],
    ['a\u202eb\u2066c', 'abc'],
    ['a\u200bb\ufeffc\u00add', 'abcd'],
    ['\u{e0041}\u{e0042}seen', 'seen'],
    ['<!-\u200b- x -->', '‹!-- x -->'],
    ['##[error]x', '＃#[error]x'],
    ['\ud800x', '\ufffdx'],
    ['e\u0301', 'é'],
    ['日本語 العربية 🎉', '日本語 العربية 🎉'],
    ['', ''],
  ])('%j becomes %j', (input, output) => {
    expect(oneLine(input)).toBe(output);
  });

  test('a long text is cut between graphemes and says so', () => {
    expect(oneLine('👍🏽'.repeat(5), 3)).toBe('👍🏽👍🏽👍🏽…');
    expect(oneLine('abcdef', 3)).toBe('abc…');
    expect(oneLine('abc', 3)).toBe('abc');
  });

  test('graphemes without end are cut as well', () => {
    expect(oneLine(`e${'\u0301'.repeat(10_000)}`).length).toBeLessThan(700);
    expect(oneLine('\u1100'.repeat(10_000)).length).toBeLessThan(700);
  });

  test.each(NAMED_PAYLOADS)('nothing dangerous is left of %s', (_, payload) => {
    expect(oneLine(payload)).not.toMatch(FORBIDDEN);
  });

  test('nothing dangerous is left of any mixture', () => {
    const parts = fc.array(
      fc.oneof(fc.constantFrom(...PAYLOADS.filter((payload) => payload.length < 200)), fc.string({ unit: 'binary' })),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(parts, (texts) => {
        const result = oneLine(texts.join(''));
        expect(result).not.toMatch(FORBIDDEN);
        expect(result.length).toBeLessThan(700);
      }),
      { numRuns: 300 },
    );
  });
});

test('a record as JSON gives no command to a build log and the same value to a parser', () => {
  const record = { v: 1, answer: ['a ##vso[task.complete]b', '##teamcity[x]', '### Heading', '##[error]'] };
  const line = jsonLine(record);
  expect(line).not.toMatch(/##\w*\[/);
  expect(JSON.parse(line)).toEqual(record);
});

test('what nobody sees stands in JSON as escapes: zero-width, joiners, tag characters', () => {
  const record = { v: 1, text: 'a\u200bb\u200dc\u2060d\u{e0041}\u{e007f}\u2028' };
  const line = jsonLine(record);
  expect(line).toMatch(/^[ -~]+$/);
  expect(JSON.parse(line)).toEqual(record);
});

test.each(NAMED_PAYLOADS)('%s as JSON commands no terminal and reorders nothing', (_, payload) => {
  const line = jsonLine({ v: 1, [payload]: payload });
  expect(line).not.toMatch(/[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]|##\w*\[/u);
  expect(JSON.parse(line)).toEqual({ v: 1, [payload]: payload });
});
