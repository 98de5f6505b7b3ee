import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/domain/canonical-json.ts';
import { jsonSchemaFault } from '../../../src/domain/manifest/json-schema-fault.ts';

describe('an asynchronous schema cannot be used', () => {
  test.each<[string, Json, string]>([
    ['at the top', { $async: true, type: 'object', required: ['zzz'] }, '/$async'],
    ['in a property', { properties: { a: { $async: true } } }, '/properties/a/$async'],
    ['in a definition', { $ref: '#/$defs/a', $defs: { a: { $async: true } } }, '/$defs/a/$async'],
    ['in a list of schemas', { anyOf: [{}, { not: { $async: true } }] }, '/anyOf/1/not/$async'],
    [
      'in draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { 'a/b': { $async: false } } },
      '/definitions/a~1b/$async',
    ],
  ])('%s', (_, schema, pointer) => {
    expect(jsonSchemaFault(schema)).toEqual({ pointer, message: 'cannot be used: it would validate nothing' });
  });

  test.each<[string, Json]>([
    ['a property', { properties: { $async: { type: 'boolean' } }, required: ['$async'] }],
    ['plain data', { const: { $async: true }, examples: [{ $async: true }] }],
  ])('but %s may be called so', (_, schema) => {
    expect(jsonSchemaFault(schema)).toBeNull();
  });
});
