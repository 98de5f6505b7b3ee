import { describe, expect, test } from 'vitest';
import { type IdentityJob, RunIdentity, type RunState, runVerdict } from '../../src/domain/run.ts';

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

  const runIdentity = (jobs: readonly IdentityJob[]): string => {
    const identity = new RunIdentity();
    for (const each of jobs) identity.add(each);
    return identity.digest();
  };

  test('is the same for the same jobs in the same order', () => {
    expect(runIdentity([job('a'), job('b')])).toBe(runIdentity([job('a'), job('b')]));
  });

  test('is what it was in earlier versions: a run that is open goes on', () => {
    expect(runIdentity([job('a', { error: 'document_empty', keys: [] }), job('b', { keys: ['k', 'l'] })])).toBe(
      '54031b8092c43901f542fe7260edec76bde6007e16ae96ed90ace13e39d73426',
    );
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
