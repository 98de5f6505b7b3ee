import { describe, expect, test } from 'vitest';
import { createJudge, judge } from '../../src/checks/judge.ts';
import type { CheckSpec } from '../../src/domain/manifest/resolved.ts';
import { canonicalText } from '../evidence/canonical.ts';
import { wholeOf } from './checked.ts';

const CHECKS: readonly CheckSpec[] = [
  { id: 'few', type: 'count', severity: 'warn', at: '/q', where: null, min: null, max: 1 },
  {
    id: 'quotes',
    type: 'evidence',
    severity: 'must',
    at: '/q/*',
    minChars: 3,
    minVerified: 0,
    page: null,
    line: null,
    elided: 'accept',
    absence: 'review',
  },
];

describe('a judge', () => {
  test('gives one score per check, in their order, with what the manifest says of it', () => {
    const document = canonicalText('The bus is idle. The clock runs.');
    expect(judge({ ...wholeOf(document), answer: { q: ['The bus is idle.', 'The clock runs.'] }, checks: CHECKS })).toMatchObject([
      { check: 'few', type: 'count', severity: 'warn', verdict: 'fail', value: 2, findings: [] },
      { check: 'quotes', type: 'evidence', severity: 'must', verdict: 'pass', value: 2 },
    ]);
  });

  test('without checks gives no score', () => {
    expect(judge({ ...wholeOf(canonicalText('x')), answer: null, checks: [] })).toEqual([]);
  });

  test('never takes one document for another', () => {
    const keptJudge = createJudge();
    const verdictOn = (text: string) =>
      keptJudge({ ...wholeOf(canonicalText(text)), answer: { q: ['The bus is idle.'] }, checks: CHECKS })[1]?.verdict;
    expect([verdictOn('The bus is idle.'), verdictOn('The bus is busy.'), verdictOn('The bus is idle.')]).toEqual(['pass', 'fail', 'pass']);
  });

  test('keeps schemas apart', () => {
    const keptJudge = createJudge();
    const verdictOf = (type: string) => {
      const checks: CheckSpec[] = [{ id: 's', type: 'schema', severity: 'must', at: '', schema: { type } }];
      return keptJudge({ ...wholeOf(canonicalText('x')), answer: 'x', checks })[0]?.verdict;
    };
    expect(Array.from({ length: 100 }, (_, i) => verdictOf(i % 2 === 0 ? 'string' : 'number')).slice(0, 4)).toEqual([
      'pass',
      'fail',
      'pass',
      'fail',
    ]);
  });
});
