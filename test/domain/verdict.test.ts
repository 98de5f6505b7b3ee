import { describe, expect, test } from 'vitest';
import type { CheckVerdict, Score, Severity } from '../../src/domain/score.ts';
import {
  type Aggregate,
  errorRate,
  gateVerdict,
  type JobVerdict,
  jobVerdict,
  passRate,
  type ResultCounts,
  resultVerdict,
} from '../../src/domain/verdict.ts';

function score(verdict: CheckVerdict, severity: Severity = 'must'): Score {
  return { check: 'c', type: 'equals', severity, verdict, value: null, explanation: '', findings: [] };
}

function counts(parts: Partial<ResultCounts>): ResultCounts {
  const all = { open: 0, pass: 0, fail: 0, review: 0, error: 0, ...parts };
  return { ...all, total: all.open + all.pass + all.fail + all.review + all.error };
}

describe('a job’s verdict', () => {
  test.each<[string, Score[], JobVerdict]>([
    ['no check passes', [], 'pass'],
    ['review is worse than pass', [score('pass'), score('review')], 'review'],
    ['fail is worse than review', [score('fail'), score('review'), score('pass')], 'fail'],
    ['a failed warning does not count', [score('fail', 'warn'), score('pass')], 'pass'],
    ['a failed warning hides no review', [score('fail', 'warn'), score('review')], 'review'],
    ['a warning may ask for review', [score('review', 'warn')], 'review'],
  ])('%s', (_, scores, verdict) => {
    expect(jobVerdict(scores)).toBe(verdict);
  });
});

describe('a result’s verdict', () => {
  test.each<[JobVerdict[], Aggregate, JobVerdict]>([
    [['pass'], 'majority', 'pass'],
    [['fail'], 'majority', 'fail'],
    [['error'], 'majority', 'error'],
    [[], 'majority', 'error'],
    [['pass', 'pass', 'fail'], 'majority', 'pass'],
    [['fail', 'pass', 'fail'], 'majority', 'fail'],
    [['pass', 'fail'], 'majority', 'review'],
    [['pass', 'pass', 'fail', 'fail'], 'majority', 'review'],
    [['pass', 'fail', 'review'], 'majority', 'review'],
    [['pass', 'pass', 'fail', 'review'], 'majority', 'pass'],
    [['pass', 'fail', 'error'], 'majority', 'review'],
    [['pass', 'pass', 'error'], 'majority', 'pass'],
    [['pass', 'error'], 'majority', 'error'],
    [['pass', 'error', 'error'], 'any', 'error'],
    [['pass', 'pass', 'fail'], 'all', 'fail'],
    [['pass', 'review', 'pass'], 'all', 'review'],
    [['pass', 'pass', 'error'], 'all', 'pass'],
    [['fail', 'fail', 'pass'], 'any', 'pass'],
    [['fail', 'review', 'fail'], 'any', 'review'],
    [['fail', 'fail', 'error'], 'any', 'fail'],
  ])('of %j by %s is %s', (verdicts, aggregate, verdict) => {
    expect(resultVerdict(verdicts, aggregate)).toBe(verdict);
  });
});

describe('a run’s verdict', () => {
  const gate = { minPassRate: 0.8, maxErrorRate: 0.1 };

  test.each<[string, Partial<ResultCounts>, ReturnType<typeof gateVerdict>]>([
    ['at the gate', { pass: 4, fail: 1 }, 'pass'],
    ['below the gate', { pass: 3, fail: 1 }, 'fail'],
    ['with reviews only', { review: 3 }, 'pass'],
    ['with errors at the limit', { pass: 9, error: 1 }, 'pass'],
    ['with errors above the limit', { pass: 8, error: 1 }, 'incomplete'],
    ['with errors, however bad the rest', { fail: 1, error: 1 }, 'incomplete'],
    ['with open work', { pass: 9, open: 1 }, 'incomplete'],
    ['without results', {}, 'pass'],
  ])('%s', (_, parts, verdict) => {
    expect(gateVerdict(counts(parts), gate)).toBe(verdict);
  });

  test('errors count in the error rate, not in the pass rate', () => {
    const some = counts({ pass: 3, fail: 1, review: 2, error: 2 });
    expect([passRate(some), errorRate(some)]).toEqual([0.75, 0.25]);
    expect([passRate(counts({})), errorRate(counts({}))]).toEqual([1, 0]);
  });
});
