import { describe, expect, test } from 'vitest';
import { finalAnswer } from '../../src/checks/final-answer.ts';
import type { MergedAnswer } from '../../src/checks/merge-answers.ts';
import { createValidators } from '../../src/checks/validator.ts';
import type { Json } from '../../src/domain/canonical-json.ts';

const MERGED: MergedAnswer = { answer: { findings: [1, 2], language: 'en' }, origins: [], differing: [] };

type More = { readonly schema?: Json; readonly reduce?: string; readonly array?: readonly string[] };

function final(merged: Partial<MergedAnswer>, reduced: Json | undefined, { schema = null, reduce, array = ['/findings'] }: More = {}) {
  const input = {
    merged: { ...MERGED, ...merged },
    rule: { array, reduce: reduce ?? (reduced === undefined ? null : 'Sum up.') },
    reduced: reduced === undefined ? null : { answer: reduced },
    schema,
  };
  return finalAnswer(input, createValidators());
}

describe('the answer of a document that was asked in parts', () => {
  test('is what its parts say together', () => {
    expect(final({}, undefined)).toEqual({ ok: true, answer: MERGED.answer });
  });

  test('is none where they say different things, and nothing makes one answer of them', () => {
    const differing = ['/verdict', '/a', '/b', '/c', '/d', '/e'];
    expect(final({ differing }, undefined)).toEqual({
      ok: false,
      message:
        'the parts of the document give different answers at /verdict, /a, /b, /c, /d and 1 more: merge.reduce can make one answer of them',
    });
  });

  test('is the reduced one with the joined arrays, whatever it says in their place', () => {
    expect(final({ differing: ['/verdict'] }, { verdict: 'good', findings: ['reworded'] })).toEqual({
      ok: true,
      answer: { verdict: 'good', findings: [1, 2] },
    });
    expect(final({ answer: {} }, { verdict: 'good' })).toEqual({ ok: true, answer: { verdict: 'good', findings: [] } });
  });

  test('is none where the reduced one has no room for them', () => {
    expect(final({}, 'good')).toEqual({
      ok: false,
      message: 'the answer made of all parts is not valid: the answer to merge.reduce leaves no room for the joined arrays',
    });
  });

  test('is valid against the task’s whole schema, or none', () => {
    const schema = { type: 'object', properties: { verdict: { enum: ['good'] } }, minProperties: 3 };
    const whole = 'the answer made of all parts is not valid: ';
    expect(final({}, { verdict: 'bad' }, { schema })).toEqual({
      ok: false,
      message: `${whole}the answer: must NOT have fewer than 3 properties, got {"findings":[1,2],"verdict":"bad"}; /verdict: must be one of "good", got "bad"`,
    });
    expect(final({}, undefined, { schema })).toMatchObject({ ok: false, message: expect.stringContaining(whole) });
    expect(final({}, { verdict: 'good', why: 'x' }, { schema })).toMatchObject({ ok: true });
  });
});

describe('joined arrays that no reduce can mend', () => {
  const reduce = 'Sum up.';
  const items = { $ref: '#/$defs/finding' };
  const schema = {
    $defs: { finding: { type: 'integer', maximum: 5 } },
    type: 'object',
    required: ['summary', 'findings'],
    properties: { findings: { type: 'array', maxItems: 2, items }, summary: { type: 'string' } },
  };
  const refusal = 'the joined arrays of all parts are not valid: ';

  test('are refused before it is asked, and nothing else is', () => {
    expect(final({}, undefined, { schema, reduce })).toBeNull();
    expect(final({ differing: ['/summary'] }, undefined, { schema, reduce })).toBeNull();
    expect(final({ answer: { findings: [1, 2, 3] } }, undefined, { schema, reduce })).toEqual({
      ok: false,
      message: `${refusal}/findings: must NOT have more than 2 items, got [1,2,3]`,
    });
    expect(final({ answer: { findings: [9] } }, undefined, { schema, reduce })).toEqual({
      ok: false,
      message: `${refusal}/findings/0: must be <= 5, got 9`,
    });
    expect(final({ answer: { findings: [1, 2, 3] } }, undefined, { schema })).toMatchObject({ message: expect.stringContaining(refusal) });
  });

  test('are found below other properties and under odd names, in a schema of its own name too', () => {
    const name = 'a/b %c~d';
    const deep = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://example.org/answer',
      definitions: { item: { type: 'string' } },
      properties: { report: { properties: { [name]: { items: { $ref: '#/definitions/item' } }, any: true, none: false } } },
    };
    const at = (value: Json, pointer = '/report/a~1b %c~0d') =>
      final({ answer: { report: { [name]: value, any: value, none: value } } }, undefined, { schema: deep, reduce, array: [pointer] });
    expect(at(['x'])).toBeNull();
    expect(at([1])).toMatchObject({ message: `${refusal}/report/a~1b %c~0d/0: must be string, got 1` });
    expect(at([1], '/report/any')).toBeNull();
    expect(at([1], '/report/none')).toMatchObject({ ok: false });
  });

  test('are not looked for where the schema tells of them elsewhere: then the whole answer tells', () => {
    const elsewhere = { $ref: '#/$defs/answer', $defs: { answer: schema } };
    expect(final({ answer: { findings: [1, 2, 3] } }, undefined, { schema: elsewhere, reduce })).toBeNull();
    expect(final({ answer: { findings: [1, 2, 3] } }, undefined, { schema: null, reduce })).toBeNull();
  });

  test('are refused where a part has none', () => {
    const message = `${refusal}/findings: not every part was answered with an array there`;
    expect(final({ differing: ['/verdict', '/findings'] }, undefined, { reduce })).toEqual({ ok: false, message });
    expect(final({ differing: ['/findings'] }, undefined)).toEqual({ ok: false, message });
  });
});
