import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { outcomeOf } from './checked.ts';

const BASE = { id: 'c', severity: 'must' as const };

describe('equals', () => {
  const check = (at: string, value: Json): CheckSpec => ({ ...BASE, type: 'equals', at, value });

  test.each<[string, CheckSpec, Json, string, Json, string]>([
    ['an equal value passes', check('/a', 'x'), { a: 'x' }, 'pass', 'x', ''],
    ['the order of keys does not matter', check('', { a: 1, b: [2] }), { b: [2], a: 1 }, 'pass', { b: [2], a: 1 }, ''],
    ['another value fails', check('/a', 'high'), { a: 'low' }, 'fail', 'low', 'expected "high" at /a, got "low"'],
    ['a number is not its text', check('/a', 1), { a: '1' }, 'fail', '1', 'expected 1 at /a, got "1"'],
    ['nothing there fails', check('/b', 1), { a: 1 }, 'fail', null, 'expected 1 at /b, got nothing'],
    ['every match must equal', check('/*', 1), [1, 2, 3], 'fail', [1, 2, 3], 'expected 1 at /1, got 2 (2 of 3 wrong)'],
    ['the whole answer is the default', check('', 'yes'), 'yes', 'pass', 'yes', ''],
    [
      'a large value is named by its size',
      check('', 1),
      Array(50).fill(0),
      'fail',
      'an array of 50',
      'expected 1 at the answer, got an array of 50',
    ],
  ])('%s', (_, spec, answer, verdict, value, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value, explanation });
  });
});

describe('contains and not-contains', () => {
  const contains = (at: string, text: string, ignoreCase = false): CheckSpec => ({ ...BASE, type: 'contains', at, text, ignoreCase });
  const lacks = (at: string, text: string, ignoreCase = false): CheckSpec => ({ ...BASE, type: 'not-contains', at, text, ignoreCase });

  test.each<[string, CheckSpec, Json, string, string]>([
    ['a string with the text passes', contains('/a', 'bus'), { a: 'the bus is idle' }, 'pass', ''],
    ['case counts', contains('/a', 'Bus'), { a: 'the bus' }, 'fail', 'expected "Bus" in /a, got "the bus"'],
    ['unless it is ignored', contains('/a', 'Bus', true), { a: 'the bus' }, 'pass', ''],
    ['composed and decomposed letters are one', contains('', 'caf\u00e9'), 'cafe\u0301', 'pass', ''],
    ['an object contains what its strings contain', contains('', 'idle'), { a: ['x', { b: 'bus idle' }] }, 'pass', ''],
    ['names of properties are no content', contains('', 'name'), { name: 'x' }, 'fail', 'expected "name" in the answer, got {"name":"x"}'],
    ['a number contains its digits', contains('/a', '42'), { a: 1423 }, 'pass', ''],
    ['every match must contain', contains('/*', 'x'), ['x', 'y'], 'fail', 'expected "x" in /1, got "y" (1 of 2 wrong)'],
    ['nothing there fails', contains('/b', 'x'), { a: 'x' }, 'fail', 'expected "x" at /b, got nothing'],
    [
      'what cannot be seen hides nothing',
      lacks('', 'forbidden'),
      'fo\u200brbid\u00adden',
      'fail',
      'expected no "forbidden" in the answer, got "fo\u200brbid\u00adden"',
    ],
    [
      'nor does another kind of space',
      lacks('', 'not safe'),
      'not\u00a0safe',
      'fail',
      'expected no "not safe" in the answer, got "not safe"',
    ],
    ['a text with unseen characters is looked for without', contains('', 'a\u200bb'), 'a\ufe0fb', 'pass', ''],
    [
      'a text of nothing visible is not in every other',
      contains('', '\u200b'),
      'abc',
      'fail',
      'expected "\u200b" in the answer, got "abc"',
    ],
    ['absent text passes', lacks('/a', 'TODO'), { a: 'done' }, 'pass', ''],
    ['present text fails', lacks('/a', 'todo', true), { a: 'a TODO' }, 'fail', 'expected no "todo" in /a, got "a TODO"'],
    ['nothing there lacks every text', lacks('/b', 'x'), { a: 'x' }, 'pass', ''],
  ])('%s', (_, spec, answer, verdict, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value: verdict === 'pass', explanation });
  });
});

describe('regex', () => {
  const regex = (at: string, pattern: string, flags = ''): CheckSpec => ({ ...BASE, type: 'regex', at, pattern, flags });

  test.each<[string, CheckSpec, Json, string, string]>([
    ['a match passes', regex('/id', '^R-\\d+$'), { id: 'R-12' }, 'pass', ''],
    ['no match fails', regex('/id', '^R-\\d+$'), { id: 'R12' }, 'fail', 'expected a string that matches /^R-\\d+$/ at /id, got "R12"'],
    ['flags count', regex('/id', '^r', 'i'), { id: 'R' }, 'pass', ''],
    ['patterns are in Unicode mode', regex('', '^\\p{Lu}.$'), 'Å\u{1f600}', 'pass', ''],
    ['unless the pattern is not', regex('', '^[\\w-.]+$'), 'a-b.c', 'pass', ''],
    ['a global pattern forgets where it stopped', regex('/*', 'a', 'g'), ['a', 'a', 'a'], 'pass', ''],
    ['a number is no string', regex('/n', '5'), { n: 5 }, 'fail', 'expected a string that matches /5/ at /n, got 5'],
    ['nothing there fails', regex('/n', 'x', 'i'), {}, 'fail', 'expected a string that matches /x/i at /n, got nothing'],
  ])('%s', (_, spec, answer, verdict, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value: verdict === 'pass', explanation });
  });

  test('a pattern that is wrong in every mode throws', () => {
    expect(() => outcomeOf(regex('', '('), 'x')).toThrow(SyntaxError);
  });
});

describe('range', () => {
  const range = (min: number | null, max: number | null, at = '/n'): CheckSpec => ({ ...BASE, type: 'range', at, min, max });

  test.each<[string, CheckSpec, Json, string, Json, string]>([
    ['the lower bound is inside', range(1, 5), { n: 1 }, 'pass', 1, ''],
    ['the upper bound is inside', range(1, 5), { n: 5 }, 'pass', 5, ''],
    ['above fails', range(null, 5), { n: 5.5 }, 'fail', 5.5, 'expected at most 5 at /n, got 5.5'],
    ['below fails', range(0, null), { n: -1 }, 'fail', -1, 'expected at least 0 at /n, got -1'],
    ['outside of two fails', range(1, 5), { n: 9 }, 'fail', 9, 'expected 1 to 5 at /n, got 9'],
    ['a text is no number', range(1, 5), { n: '3' }, 'fail', '3', 'expected 1 to 5 at /n, got "3"'],
    ['nothing there fails', range(1, 5), {}, 'fail', null, 'expected 1 to 5 at /n, got nothing'],
    ['every match must lie inside', range(1, 5, '/*'), [1, 6], 'fail', [1, 6], 'expected 1 to 5 at /1, got 6 (1 of 2 wrong)'],
  ])('%s', (_, spec, answer, verdict, value, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value, explanation });
  });
});

describe('count', () => {
  const count = (at: string, min: number | null, max: number | null, where: Json | null = null): CheckSpec => ({
    ...BASE,
    type: 'count',
    at,
    where,
    min,
    max,
  });
  const high = { properties: { severity: { const: 'high' } }, required: ['severity'] };
  const findings = { findings: [{ severity: 'high' }, { severity: 'low' }, { severity: 'high' }, {}] };

  test.each<[string, CheckSpec, Json, string, Json, string]>([
    ['an array counts its items', count('/findings', null, 4), findings, 'pass', 4, ''],
    ['too many fail', count('/findings', null, 3), findings, 'fail', 4, 'expected at most 3 items at /findings, got 4'],
    ['too few fail', count('/findings', 5, null), findings, 'fail', 4, 'expected at least 5 items at /findings, got 4'],
    ['an exact number is named so', count('/findings', 1, 1), findings, 'fail', 4, 'expected exactly 1 item at /findings, got 4'],
    ['only items that fulfil the schema count', count('/findings', 2, 2, high), findings, 'pass', 2, ''],
    [
      'and are called matching',
      count('/findings', null, 1, high),
      findings,
      'fail',
      2,
      'expected at most 1 matching item at /findings, got 2',
    ],
    ['a star counts its matches', count('/findings/*', 4, 4), findings, 'pass', 4, ''],
    ['matches that are arrays count one each', count('/*', 2, 2), [[1, 2], [3]], 'pass', 2, ''],
    ['arrays below a star count their items', count('/*/list', 3, 3), [{ list: [1, 2] }, { list: [3] }], 'pass', 3, ''],
    ['properties below a star count one each', count('/findings/*/severity', 3, 3), findings, 'pass', 3, ''],
    ['nothing there counts none', count('/nothing', null, 0), findings, 'pass', 0, ''],
    ['something else than an array fails', count('/a', 0, 9), { a: 'x' }, 'fail', null, 'expected an array at /a, got "x"'],
  ])('%s', (_, spec, answer, verdict, value, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value, explanation });
  });
});

describe('schema', () => {
  const schema = (at: string, body: Json): CheckSpec => ({ ...BASE, type: 'schema', at, schema: body });
  const severity = { enum: ['low', 'high'] };

  test.each<[string, CheckSpec, Json, string, string]>([
    ['a valid value passes', schema('/s', severity), { s: 'low' }, 'pass', ''],
    ['a breach fails', schema('/s', severity), { s: 'urgent' }, 'fail', '/s: must be one of "low", "high", got "urgent"'],
    [
      'a breach below the value has its whole place',
      schema('/f', { items: severity }),
      { f: ['low', 1] },
      'fail',
      '/f/1: must be one of "low", "high", got 1',
    ],
    ['further breaches are counted', schema('/*', severity), [1, 2, 3], 'fail', '/0: must be one of "low", "high", got 1 (and 2 more)'],
    ['nothing there breaches nothing', schema('/x', severity), {}, 'pass', 'nothing at /x'],
  ])('%s', (_, spec, answer, verdict, explanation) => {
    expect(outcomeOf(spec, answer)).toEqual({ verdict, value: verdict === 'pass', explanation });
  });

  test('an invalid schema throws', () => {
    expect(() => outcomeOf(schema('', { type: 'thing' }), 1)).toThrow();
  });
});

test('an explanation is one line of at most 200 characters', () => {
  const at = `/${'k'.repeat(300)}`;
  const { explanation } = outcomeOf({ ...BASE, type: 'equals', at, value: `a\nb${'c'.repeat(300)}` }, 'x');
  expect(Array.from(explanation).length).toBeLessThanOrEqual(200);
  expect(explanation).not.toMatch(/\n/);
});
