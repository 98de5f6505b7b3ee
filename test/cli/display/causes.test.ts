import { expect, test } from 'vitest';
import { causesOf, readCauses } from '../../../src/cli/display/causes.ts';
import { mergeMessage } from '../../../src/domain/merge-failure.ts';
import type { Score } from '../../../src/domain/score.ts';
import { sampleJob, sampleRun } from '../sample-run.ts';

function score(check: string, change: Partial<Score> = {}): Score {
  return {
    check,
    type: 'count',
    severity: 'must',
    verdict: 'fail',
    value: 4,
    explanation: 'expected at most 3, got 4',
    findings: [],
    ...change,
  };
}

function failed(seq: number, ...scores: Score[]) {
  const result = { verdict: 'fail', scores, answer: {}, repaired: false, reasked: false, mode: null, callToken: 't' } as const;
  return sampleJob({ seq, jobId: `job${seq}`, verdict: 'fail', result, task: 'ambiguity', repeat: seq });
}

test('jobs are grouped by what went wrong, the most frequent first, each with its first example', async () => {
  const rows = [
    failed(0, score('count'), score('evidence')),
    failed(1, score('evidence'), score('style', { severity: 'warn' })),
    sampleJob({ state: 'failed', verdict: 'error', error: { reason: 'refused', message: 'no' } }),
    sampleJob({ state: 'failed', verdict: 'error', error: { reason: 'timeout', message: 'no answer in 120 s' } }),
    sampleJob({ state: 'failed', verdict: 'error', error: { reason: 'timeout', message: 'later' } }),
    sampleJob({ state: 'cancelled', verdict: 'error', error: { reason: 'cancelled', message: '' } }),
    sampleJob(),
  ];
  const label = 'specs/auth.md:claims:fast';
  const store = { jobRows: async (_: string, { after }: { after: number }) => (after === -1 ? rows : []) };
  expect(await readCauses(store, sampleRun())).toEqual(causesOf(sampleRun(), rows));
  expect(causesOf(sampleRun(), rows)).toEqual({
    errors: [
      {
        reason: 'timeout',
        count: 2,
        example: { label, jobId: sampleJob().jobId, task: 'claims', model: 'fast', message: 'no answer in 120 s' },
      },
      { reason: 'refused', count: 1, example: { label, jobId: sampleJob().jobId, task: 'claims', model: 'fast', message: 'no' } },
    ],
    failedChecks: [
      {
        check: 'evidence',
        count: 2,
        example: {
          label: 'specs/auth.md:ambiguity:fast#1',
          jobId: 'job0',
          task: 'ambiguity',
          model: 'fast',
          message: 'expected at most 3, got 4',
        },
      },
      {
        check: 'count',
        count: 1,
        example: {
          label: 'specs/auth.md:ambiguity:fast#1',
          jobId: 'job0',
          task: 'ambiguity',
          model: 'fast',
          message: 'expected at most 3, got 4',
        },
      },
    ],
    failedJobs: 2,
    reviews: null,
  });
});

test('jobs to review are counted, the first of them is the one to look at', () => {
  const asked = score('evidence', { verdict: 'review', explanation: '1 of 2 quotes near' });
  const result = { verdict: 'review', scores: [asked], answer: {}, repaired: false, reasked: false, mode: null, callToken: 't' } as const;
  const rows = ['first', 'second'].map((jobId) => sampleJob({ jobId, verdict: 'review', result }));
  expect(causesOf(sampleRun(), rows)).toMatchObject({
    failedJobs: 0,
    reviews: { count: 2, example: { jobId: 'first', message: '1 of 2 quotes near' } },
  });
});

test('what is mended in another way is another cause', () => {
  const error = (message: string) => sampleJob({ state: 'failed', verdict: 'error', error: { reason: 'invalid_answer', message } });
  const apart = mergeMessage('parts', '/verdict');
  const rows = [error('/a: must be string'), error(apart), error(mergeMessage('array', '/a')), error(apart), error('/b: must be string')];
  expect(causesOf(sampleRun(), rows).errors.map(({ count, example }) => [count, example.message])).toEqual([
    [2, '/a: must be string'],
    [2, apart],
    [1, mergeMessage('array', '/a')],
  ]);
});
