import { describe, expect, test } from 'vitest';
import { callSteps, findStep, hasParts, listed, speakingStep } from '../../../src/cli/show/job-steps.ts';
import type { JobRecord, StepRow } from '../../../src/store/rows.ts';
import { sampleJob, sampleRun } from '../sample-run.ts';

function step(stepId: number, kind: StepRow['kind'], index: number, callToken: string | null = null): StepRow {
  const rest = { key: null, state: 'succeeded', outcome: null, runAtMs: 0, leaseOwner: null, leaseExpiresAtMs: null } as const;
  return { stepId, kind, index, callToken, ...rest, keyRecord: null, part: null, prompt: null, paidBy: null };
}

function record(steps: readonly StepRow[], callToken: string | null = null): JobRecord {
  const result = { verdict: 'pass', scores: [], answer: null, repaired: false, reasked: false, mode: null, callToken } as const;
  return { job: sampleJob({ result }), steps, attempts: [], calls: [] };
}

const PARTS = [step(1, 'chunk', 0), step(2, 'chunk', 1), step(3, 'reask', 1), step(4, 'finish', 0)];

describe('the steps of a job', () => {
  test('have the names of their folders; what makes no call has none', () => {
    expect(callSteps(record(PARTS)).map(({ name }) => name)).toEqual(['chunk-1', 'chunk-2', 'reask-2']);
    expect(hasParts(record(PARTS))).toBe(true);
    expect(hasParts(record([step(1, 'answer', 0)]))).toBe(false);
  });

  test('are found by name, a kind alone is its first; an unknown one names what there is', () => {
    const job = record(PARTS);
    expect(findStep(sampleRun(), job, 'chunk-2').step.stepId).toBe(2);
    expect(findStep(sampleRun(), job, 'reask-2').step.stepId).toBe(3);
    expect(findStep(sampleRun(), job, 'chunk').step.stepId).toBe(1);
    expect(() => findStep(sampleRun(), job, 'chunk-9\u001b[31m')).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'job j3f9aaaa has no step "chunk-9"; it has chunk-1, chunk-2, reask-2',
        next: ['aieval show j3f9aaaa --run r-8kq2aaaa --prompt --step chunk-1'],
      }),
    );
  });

  test('that which gave the answer speaks for the job, else the reduce, else the first', () => {
    const reduce = [...PARTS, step(5, 'reduce', 0, 'r'), step(6, 'reask', 0, 'again')];
    expect(speakingStep(record(reduce, 'again'))?.name).toBe('reask-1');
    expect(speakingStep(record(reduce))?.name).toBe('reduce-1');
    expect(speakingStep(record(PARTS))?.name).toBe('chunk-1');
    expect(speakingStep(record([]))).toBeUndefined();
  });

  test('of many, the first and the last are listed', () => {
    const names = Array.from({ length: 12 }, (_, i) => `chunk-${i + 1}`);
    expect(listed(names)).toBe('chunk-1, chunk-2, chunk-3 … chunk-10, chunk-11, chunk-12');
    expect(listed([])).toBe('none yet');
  });
});
