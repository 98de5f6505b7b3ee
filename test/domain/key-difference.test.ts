import { describe, expect, test } from 'vitest';
import { firstDifference } from '../../src/domain/first-difference.ts';
import { type KeyParts, keyRecord } from '../../src/domain/key.ts';
import { keyDifference } from '../../src/domain/key-difference.ts';

const PARTS: KeyParts = {
  endpoint: 'http://127.0.0.1:1/v1',
  model: 'qwen',
  params: { temperature: 0, maxOutputTokens: 100 },
  structuredOutput: 'auto',
  output: { format: 'json', schema: { type: 'object' }, strict: true, reask: 1 },
  system: null,
  prompt: 'a',
  repeat: 0,
  namespace: null,
};

function changed(changes: Partial<KeyParts>): string[] {
  return keyDifference(keyRecord({ ...PARTS, ...changes }), keyRecord(PARTS)).map(({ part }) => part);
}

describe('the difference of two keys', () => {
  test.each<[string, Partial<KeyParts>]>([
    ['endpoint', { endpoint: 'http://127.0.0.1:2/v1' }],
    ['model', { model: 'llama' }],
    ['params.temperature', { params: { temperature: 1, maxOutputTokens: 100 } }],
    ['params.seed', { params: { ...PARTS.params, seed: 7 } }],
    ['structuredOutput', { structuredOutput: 'prompt' }],
    ['output.schema', { output: { ...PARTS.output, schema: null } }],
    ['output.reask', { output: { ...PARTS.output, reask: 0 } }],
    ['system', { system: 'Be brief.' }],
    ['prompt', { prompt: 'b' }],
    ['repeat', { repeat: 1 }],
    ['cache.namespace', { namespace: 'other' }],
  ])('is told by the name that the manifest has for it: %s', (part, changes) => {
    expect(changed(changes)).toEqual([part]);
  });

  test('tells all that is not the same, with both values, and nothing of what is', () => {
    expect(changed({})).toEqual([]);
    const mine = keyRecord({ ...PARTS, model: 'llama', params: { maxOutputTokens: 50 } });
    expect(keyDifference(mine, keyRecord(PARTS))).toEqual([
      { part: 'model', mine: 'llama', theirs: 'qwen' },
      { part: 'params.maxOutputTokens', mine: 50, theirs: 100 },
      { part: 'params.temperature', mine: null, theirs: 0 },
    ]);
  });

  test('tells the version of a record of before', () => {
    expect(keyDifference(keyRecord(PARTS), { ...Object(keyRecord(PARTS)), version: 0 })).toEqual([
      { part: 'format version', mine: 1, theirs: 0 },
    ]);
  });
});

describe('the first difference of two texts', () => {
  test('is a line of both, or of one alone', () => {
    expect(firstDifference('a\nb\nc', 'a\nB\nC')).toEqual({ line: 2, mine: 'b', theirs: 'B' });
    expect(firstDifference('a\nb', 'a')).toEqual({ line: 2, mine: 'b', theirs: null });
    expect(firstDifference('', 'a')).toEqual({ line: 1, mine: '', theirs: 'a' });
    expect(firstDifference('a', 'a')).toBeNull();
  });
});
