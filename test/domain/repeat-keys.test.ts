import { expect, test } from 'vitest';
import { canonicalJson, canonicalWith } from '../../src/domain/canonical-json.ts';
import { answerKey, type KeyParts, keyRecord, repeatKeys } from '../../src/domain/key.ts';

const PARTS: KeyParts = {
  ...{
    endpoint: 'http://127.0.0.1/v1',
    model: 'm',
    params: { temperature: 0, maxOutputTokens: 9 },
    structuredOutput: 'auto',
    namespace: null,
  },
  ...{ output: { format: 'json', schema: { b: 1, a: ['ü'] }, strict: true, reask: 1 }, system: null, prompt: 'p', repeat: 0 },
};

test('the keys of repeats are those of their questions, one by one', () => {
  const keysOf = repeatKeys(PARTS);
  for (const repeat of [0, 1, 19]) {
    const parts = { ...PARTS, repeat };
    expect(keysOf(repeat)).toEqual({ key: answerKey(parts), keyRecord: keyRecord(parts) });
  }
});

test.each([['a'], ['m'], ['z']])('an object is spelled around its field "%s" as it is whole', (field) => {
  const others = { k: [1, { y: 2, x: null }], p: 'ü"', gone: undefined, [field]: 'not this' };
  expect(canonicalWith(others, field)({ b: 1, a: 2 })).toBe(canonicalJson({ ...others, [field]: { b: 1, a: 2 } }));
  expect(canonicalWith({}, field)(7)).toBe(canonicalJson({ [field]: 7 }));
});
