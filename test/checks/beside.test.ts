import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldsBeside } from '../../src/checks/beside.ts';
import type { Json } from '../../src/domain/canonical-json.ts';

const SPEC = { at: '/findings/*/quote', page: 'page', line: null };

function beside(item: Json, spec: Partial<typeof SPEC> = {}): unknown {
  return fieldsBeside({ ...SPEC, ...spec }, { title: 'Review', findings: [item] }, '/findings/0/quote');
}

describe('what an answer says beside a quote', () => {
  test('is the scalars of its object in their order, without the quote and the claimed page', () => {
    const item = {
      severity: 'high',
      quote: 'A b c',
      page: 3,
      problem: 'Unclear.',
      sure: false,
      score: 0.5,
      tags: ['x'],
      more: {},
      none: null,
    };
    const fields = beside(item);
    expect(fields).toEqual({ severity: 'high', problem: 'Unclear.', sure: false, score: 0.5 });
    expect(Object.keys(fields ?? {})).toEqual(['severity', 'problem', 'sure', 'score']);
  });

  test('is absent where there is nothing', () => {
    expect(beside({ quote: 'A b c', page: 3, note: ' ' })).toBeUndefined();
    expect(fieldsBeside({ at: '', page: null, line: null }, 'A b c', '')).toBeUndefined();
    expect(fieldsBeside({ at: '/*', page: null, line: null }, ['A b c'], '/0')).toBeUndefined();
  });

  test('of a quote in a list is that of the nearest object above, its page included', () => {
    const answer = { title: 'T', findings: [{ problem: 'Unclear.', page: 3, quotes: ['a', 'b'] }] };
    const spec = { at: '/findings/*/quotes/*', page: 'page', line: null };
    expect(fieldsBeside(spec, answer, '/findings/0/quotes/1')).toEqual({ problem: 'Unclear.', page: 3 });
  });

  test('of one of many named quotes is not the other quotes', () => {
    const answer = { verdict: 'ok', quotes: { first: 'a', second: 'b' } };
    expect(fieldsBeside({ at: '/quotes/*', page: null, line: null }, answer, '/quotes/first')).toEqual({ verdict: 'ok' });
  });

  test('is at most eight fields, each at most 500 units, no character halved', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 120 }), fc.string({ unit: 'binary', maxLength: 700 })), (item) => {
        const fields = Object.entries(fieldsBeside(SPEC, { findings: [{ ...item, quote: 'q' }] }, '/findings/0/quote') ?? {});
        expect(fields.length).toBeLessThanOrEqual(8);
        for (const [name, value] of fields) {
          expect(String(value).length).toBeLessThanOrEqual(500);
          expect(String(value).replace(/…$/, '')).toBe(String(item[name]).slice(0, String(value).replace(/…$/, '').length));
        }
      }),
    );
    expect(beside({ quote: 'q', problem: `${'x'.repeat(498)}😀😀` })).toEqual({ problem: `${'x'.repeat(498)}…` });
  });
});
