import { describe, expect, test, vi } from 'vitest';
import { parseAnswer } from '../../src/checks/parse-answer.ts';
import type { Json } from '../../src/domain/canonical-json.ts';

const SCHEMA: Json = {
  type: 'object',
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        properties: { severity: { enum: ['low', 'high'] }, page: { type: 'integer', minimum: 1 }, on: { type: 'string', format: 'date' } },
        required: ['severity'],
        additionalProperties: false,
      },
    },
  },
  required: ['findings'],
};
const JSON_FORM = { format: 'json', schema: SCHEMA } as const;
const ANY_JSON = { format: 'json', schema: null } as const;
const TEXT = { format: 'text' } as const;

describe('JSON', () => {
  const answer = { findings: [{ severity: 'low' }] };
  const json = JSON.stringify(answer);

  test.each([
    ['as it is', json],
    ['with white space and a byte order mark around it', `\ufeff\n ${json}\n`],
    ['in a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['in a fence without a language', `\`\`\`\n${json}\`\`\``],
    ['after thinking', `<think>maybe {"findings": 1}?</think>\n${json}`],
    ['after thinking, in a fence', `<think>\nhm\n</think>\n\n\`\`\`json\n${json}\n\`\`\`\n`],
    ['after thinking whose opening was lost', `the reader asks for…\n</think>\n${json}`],
  ])('%s is read', (_, content) => {
    expect(parseAnswer(content, JSON_FORM, 'stop')).toEqual({ ok: true, answer, repaired: false });
  });

  test('may hold the closing tag in its strings', () => {
    expect(parseAnswer('{"a":"</think>"}', ANY_JSON, 'stop')).toEqual({ ok: true, answer: { a: '</think>' }, repaired: false });
  });

  test.each([
    ['a trailing comma', '{"findings":[{"severity":"low"},]}'],
    ['single quotes', "{'findings':[{'severity':'low'}]}"],
    ['a missing bracket', '{"findings":[{"severity":"low"}]'],
  ])('with %s is mended after a stop', (_, content) => {
    expect(parseAnswer(content, JSON_FORM, 'stop')).toEqual({ ok: true, answer, repaired: true });
    expect(parseAnswer(content, JSON_FORM, 'length')).toMatchObject({ ok: false, empty: false });
  });

  test.each([
    ['prose', 'I found no problems.', JSON_FORM],
    ['prose, with any JSON allowed', 'I found no problems.', ANY_JSON],
    ['JSON that breaks the schema once mended', "{'findings':[{'severity':'urgent'}]}", JSON_FORM],
    ['what no one can mend', '{{{{"', JSON_FORM],
  ])('is not made of %s', (_, content, form) => {
    const parsed = parseAnswer(content, form, 'stop');
    expect(parsed).toMatchObject({ ok: false, empty: false });
    expect(parsed.ok ? '' : parsed.errors[0]).toMatch(/^the answer is not JSON: /);
  });

  test.each(['', '  \n', '<think>so much to think about', '<think>x</think> \n'])('%j is empty', (content) => {
    expect(parseAnswer(content, JSON_FORM, 'stop')).toEqual({ ok: false, errors: ['the answer is empty'], empty: true });
  });

  test('says what breaks the schema, a line for each breach', () => {
    const content = JSON.stringify({
      findings: [
        { severity: 'urgent', page: 0 },
        { page: '3', extra: 1 },
        { severity: 'low', on: 'today' },
      ],
    });
    expect(parseAnswer(content, JSON_FORM, 'stop')).toEqual({
      ok: false,
      empty: false,
      errors: [
        '/findings/0/severity: must be one of "low", "high", got "urgent"',
        '/findings/0/page: must be >= 1, got 0',
        '/findings/1: must have "severity"',
        '/findings/1: must not have "extra"',
        '/findings/1/page: must be integer, got "3"',
        '/findings/2/on: must match format "date", got "today"',
      ],
    });
  });

  test('names at most ten breaches', () => {
    const parsed = parseAnswer(JSON.stringify({ findings: Array(30).fill(1) }), JSON_FORM, 'stop');
    expect(parsed.ok ? [] : parsed.errors).toHaveLength(10);
    expect(parsed.ok ? '' : parsed.errors.at(-1)).toBe('and 21 more');
  });

  test('speaks of the whole answer by name', () => {
    expect(parseAnswer('[]', JSON_FORM, 'stop')).toMatchObject({ errors: ['the answer: must be object, got []'] });
  });

  test('in the one whole fence among words is taken after stop, as mended', () => {
    const words = 'Here it is:\n```json\n{"findings": []}\n```\nThat is all.';
    const form = { format: 'json', schema: { type: 'object', required: ['findings'] } } as const;
    expect(parseAnswer(words, form, 'stop')).toEqual({ ok: true, answer: { findings: [] }, repaired: true });
    expect(parseAnswer(words, form, 'other').ok).toBe(false);
    expect(parseAnswer(`${words}\n${words}`, form, 'stop').ok).toBe(false);
    expect(parseAnswer(words.replace('findings', 'other'), form, 'stop').ok).toBe(false);
  });

  test('in an open fence with endless white space is given up at once', () => {
    expect(parseAnswer(`\`\`\`json\n{"a":${' \n'.repeat(200_000)}x`, ANY_JSON, 'length')).toMatchObject({ ok: false, empty: false });
  });

  test('is refused when it is nested beyond reason', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    expect(parseAnswer(deep, ANY_JSON, 'stop')).toMatchObject({ ok: false, errors: ['the answer is nested more than 200 levels deep'] });
    expect(parseAnswer('['.repeat(100_000), ANY_JSON, 'stop')).toMatchObject({ ok: false });
  });

  test.each(['1e999', '-1e999', '1e-999'])('with the number %s, which cannot be held, is refused', (number) => {
    const message = `the answer holds a number that is too large or too small: ${number}`;
    for (const content of [`{"v":${number}}`, `[[${number}]]`, number]) {
      expect(parseAnswer(content, ANY_JSON, 'stop')).toEqual({ ok: false, errors: [message], empty: false });
    }
  });

  test.each(['0', '-0', '0.000', '0e5', '1e308', '5e-324', '-12.50'])('with the number %s is read', (number) => {
    expect(parseAnswer(`{"v":${number}}`, ANY_JSON, 'stop')).toMatchObject({ ok: true, repaired: false });
  });

  test.each([
    ['a sign without digits', '{"v":-}'],
    ['an exponent without digits', '{"v":1e}'],
    ['a fraction without digits', '{"v":2.}'],
    ['a fraction without its zero', '{"v":.5}'],
    ['a number with zeros in front', '{"v":00123}'],
    ['a grouped number', '[12,000]'],
    ['a percentage', '{"v":5%}'],
    ['a hexadecimal number', '{"v":0x1F}'],
    ['no number', '{"v":NaN}'],
    ['a number that cannot be held', '{"v":1e999,}'],
    ['a number that may have been cut', '{"v":12'],
    ['a sign, after a text that has the same', '{"a":"x -0 y","v":-}'],
    ['an exponent without digits, before a text that has the number', '{"score": 1e, "note": "see 1e0 here"}'],
    ['a sign, before a text that has the number', '{"v":-,"n":"from -0 to"}'],
    ['a sign, before a comment that has the number', '{"v":- /* -0 */,"n":1}'],
    ['a sign, before a key that has the number', '{"v":-,"-0":1}'],
    ['a sign, before the same number', '{"v":-,"n":-0 }'],
    ['no value', '{"v":undefined}'],
    ['no value before a null', '{"v":undefined,"w":null}'],
    ['a missing value', '{"v":}'],
    ['a missing value before a text that has null', '{"v":,"n":"is null here"}'],
  ])('is not mended where %s would become another value', (_, content) => {
    expect(parseAnswer(content, ANY_JSON, 'stop')).toMatchObject({ ok: false });
  });

  test('is mended where numbers stay as they are', () => {
    const content = "{'a': 'x 12 y', b: [1.50, -3 ,2e5], \"c\": 7,}";
    expect(parseAnswer(content, ANY_JSON, 'stop')).toEqual({
      ok: true,
      answer: { a: 'x 12 y', b: [1.5, -3, 2e5], c: 7 },
      repaired: true,
    });
  });

  test.each<[string, string, Json]>([
    ['values of Python', "{'a': None, 'b': True, 'c': [False, 3]}", { a: null, b: true, c: [false, 3] }],
    ['comments', '{"a": /* 1 */ 2, // 3\n "b": null,}', { a: 2, b: null }],
    ['a bare quotation mark in a text', '{"a":"say "hi" now","b":5,}', { a: 'say "hi" now', b: 5 }],
    ['a raw line break in a text', '{"a":["x\ny", 5, null],}', { a: ['x\ny', 5, null] }],
    ['a missing comma', '{"a":1 "b":"" "c":-2 }', { a: 1, b: '', c: -2 }],
    ['an escape too many', '{"a":["it\\\'s", 5]}', { a: ["it's", 5] }],
    ['a missing end', '{"a":[{"b":1.5,"c":"x"', { a: [{ b: 1.5, c: 'x' }] }],
  ])('is mended in spite of %s', (_, content, answer) => {
    expect(parseAnswer(content, ANY_JSON, 'stop')).toEqual({ ok: true, answer, repaired: true });
  });

  test.each([
    ['in one object', '{"findings":[{"quote":"x"}],"findings":[]}', 'findings'],
    ['deep inside', '[{"a":{"b":1,"c":[{"b":1}],"b":2}}]', 'b'],
    ['in two spellings', '{"a":1,"\\u0061":2}', 'a'],
    ['after mending', "{'a':1,'a':2}", null],
  ])('that says a key twice (%s) is refused', (_, content, key) => {
    const parsed = parseAnswer(content, ANY_JSON, 'stop');
    expect(parsed).toMatchObject({ ok: false, empty: false });
    if (key !== null) expect(parsed).toMatchObject({ errors: [`the answer says the key "${key}" twice in one object`] });
  });

  test('may say a key once in each of several objects', () => {
    expect(parseAnswer('[{"a":{"a":1}},{"a":2}]', ANY_JSON, 'stop')).toMatchObject({ ok: true });
  });

  test('keeps hostile keys as data', () => {
    const parsed = parseAnswer('{"__proto__":{"x":1},"constructor":2}', ANY_JSON, 'stop');
    expect(parsed.ok ? Object.keys(parsed.answer ?? {}) : []).toEqual(['__proto__', 'constructor']);
  });
});

describe('schemas', () => {
  const draft07: Json = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }, { type: 'number' }] };
  const draft2020: Json = { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }], items: false };

  test.each<[string, Json, string, boolean]>([
    ['draft-07 knows tuples as items', draft07, '["a", 1]', true],
    ['draft-07 checks tuples', draft07, '["a", "b"]', false],
    ['2020-12 knows prefixItems', draft2020, '["a"]', true],
    ['2020-12 checks prefixItems', draft2020, '["a", 1]', false],
    ['a pattern that Unicode mode refuses works', { pattern: '^[\\w-.]+$' }, '"a-b"', true],
    ['unknown keywords are no error', { 'x-note': 1, type: 'string' }, '"a"', true],
    ['false allows nothing', false, '1', false],
  ])('%s', (_, schema, content, ok) => {
    expect(parseAnswer(content, { format: 'json', schema }, 'stop').ok).toBe(ok);
  });

  test('an asynchronous schema throws: it would let everything pass', () => {
    const schema = { $async: true, type: 'object', required: ['zzz'] };
    expect(() => parseAnswer('{}', { format: 'json', schema }, 'stop')).toThrow('$async');
  });

  test('an unknown format judges nothing, and says nothing on the console', () => {
    const warn = vi.spyOn(console, 'warn');
    expect(parseAnswer('"a"', { format: 'json', schema: { format: 'klingon' } }, 'stop').ok).toBe(true);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });

  test('an invalid schema, or one that refers elsewhere, throws', () => {
    expect(() => parseAnswer('1', { format: 'json', schema: { type: 'thing' } }, 'stop')).toThrow();
    expect(() => parseAnswer('1', { format: 'json', schema: { $ref: 'https://example.com/s.json' } }, 'stop')).toThrow();
    expect(() => parseAnswer('1', { format: 'json', schema: 'x' }, 'stop')).toThrow('a JSON Schema must be');
  });
});

describe('text', () => {
  test.each([
    ['is kept, trimmed', ' The bus\nis idle. \n', 'The bus\nis idle.'],
    ['loses its thinking', '<think>hm</think>\nYes.', 'Yes.'],
    ['keeps a code fence', '```c\nint x;\n```', '```c\nint x;\n```'],
  ])('%s', (_, content, answer) => {
    expect(parseAnswer(content, TEXT, 'stop')).toEqual({ ok: true, answer, repaired: false });
  });

  test('of white space is empty', () => {
    expect(parseAnswer(' \n', TEXT, 'length')).toMatchObject({ ok: false, empty: true });
  });
});
