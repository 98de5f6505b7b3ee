import { describe, expect, test } from 'vitest';
import { type IdentityJob, type RunState, runIdentity, runVerdict } from '../../src/domain/run.ts';

const GATE = { minPassRate: 0.5, maxErrorRate: 0.6 };
const COUNTS = { total: 8, open: 0, pass: 4, fail: 0, review: 0, error: 4 };

describe('the verdict of a run', () => {
  test.each<[RunState, string]>([
    ['finished', 'pass'],
    ['open', 'pass'],
    ['cancelled', 'incomplete'],
    ['planning', 'incomplete'],
  ])('in state %s, with a gate that is met, is %s', (state, verdict) => {
    expect(runVerdict(state, COUNTS, GATE)).toBe(verdict);
  });
});

describe('the identity of a run', () => {
  const job = (jobId: string, change: Partial<IdentityJob> = {}): IdentityJob => ({
    jobId,
    keys: ['k'],
    error: null,
    judgedBy: 'c',
    ...change,
  });

  test('is the same for the same jobs in the same order', () => {
    expect(runIdentity([job('a'), job('b')])).toBe(runIdentity([job('a'), job('b')]));
  });

  test.each<[string, IdentityJob[]]>([
    ['order', [job('b'), job('a')]],
    ['key', [job('a', { keys: ['other'] }), job('b')]],
    ['document error', [job('a', { error: 'document_empty' }), job('b')]],
    ['checks', [job('a', { judgedBy: 'other' }), job('b')]],
    ['number of jobs', [job('a')]],
  ])('changes with the %s', (_, jobs) => {
    expect(runIdentity(jobs)).not.toBe(runIdentity([job('a'), job('b')]));
  });
});
