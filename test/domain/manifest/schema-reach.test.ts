import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/domain/canonical-json.ts';
import { deadEnd } from '../../../src/domain/manifest/schema-reach.ts';
import { strictFault } from '../../../src/domain/manifest/strict-schema.ts';

function closed(properties: { readonly [name: string]: Json }): Json {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const FINDINGS = closed({ findings: { type: 'array', items: closed({ quote: { type: 'string' }, page: { type: ['integer', 'null'] } }) } });

describe('where a pointer leads', () => {
  test.each(['', '/findings', '/findings/*', '/findings/0', '/findings/*/quote'])('%j leads somewhere', (pointer) => {
    expect(deadEnd(FINDINGS, pointer)).toBeNull();
  });

  test.each<[pointer: string, segment: string, known: string[]]>([
    ['/finding/*/quote', 'finding', ['findings']],
    ['/findings/*/qoute', 'qoute', ['quote', 'page']],
    ['/findings/quote', 'quote', []],
    ['/findings/*/quote/*', '*', []],
    ['/findings/*/page/x', 'x', []],
  ])('%j leads nowhere', (pointer, segment, known) => {
    expect(deadEnd(FINDINGS, pointer)).toEqual({ segment, known });
  });

  test('alternatives, references and definitions are followed', () => {
    const schema: Json = {
      $ref: '#/$defs/answer',
      $defs: { answer: { anyOf: [closed({ a: { $ref: '#/$defs/leaf' } }), closed({ b: { type: 'string' } })] }, leaf: closed({ c: true }) },
    };
    expect([deadEnd(schema, '/a/c'), deadEnd(schema, '/b'), deadEnd(schema, '/a/d')]).toEqual([null, null, { segment: 'd', known: ['c'] }]);
  });

  test.each<[title: string, schema: Json]>([
    ['true', true],
    ['an empty schema', {}],
    ['an open object', { type: 'object', properties: { a: { type: 'string' } } }],
    ['a list without items', { type: 'array' }],
    ['patterns', { type: 'object', additionalProperties: false, patternProperties: { '^x': true } }],
    ['a reference to itself', { $ref: '#' }],
    ['a reference elsewhere', { $ref: 'https://example.org/x.json' }],
    ['conditions', { type: 'object', additionalProperties: false, if: {}, else: {} }],
  ])('%s may hold anything', (_, schema) => {
    expect(deadEnd(schema, '/x/y')).toBeNull();
  });
});

describe('strict mode', () => {
  test('a closed schema fits', () => {
    expect(strictFault(FINDINGS)).toBeNull();
  });

  test('an open object does not, at any depth', () => {
    const schema = closed({ findings: { type: 'array', items: { type: 'object', properties: {} } } });
    expect(strictFault(schema)).toEqual({ pointer: '/properties/findings/items', message: 'needs "additionalProperties": false' });
  });

  test('a property that may be missing does not', () => {
    const schema: Json = { type: 'object', properties: { a: {}, b: {} }, required: ['a'], additionalProperties: false };
    expect(strictFault(schema)).toEqual({ pointer: '', message: 'needs "b" in "required"' });
  });
});
