import { describe, expect, test } from 'vitest';
import { hasFilter, jobTest, openJobsOf } from '../../../src/cli/jobs/job-filter.ts';
import type { JobRow } from '../../../src/store/rows.ts';
import { MANIFEST, sampleJob, sampleRun } from '../sample-run.ts';

const ALL = { jobIds: null };

describe('a filter of jobs', () => {
  test('selects what all its parts name; of one part any value will do', () => {
    const job = sampleJob({ documentId: 'specs/auth.md', task: 'claims', model: 'fast' });
    expect(jobTest(ALL)(job)).toBe(true);
    expect(jobTest({ ...ALL, document: ['specs/*'], task: ['other', 'claims'], model: ['fast'] })(job)).toBe(true);
    expect(jobTest({ ...ALL, document: ['specs/*'], task: ['other'] })(job)).toBe(false);
    expect(jobTest({ ...ALL, document: ['papers/*', 'specs/a*.md'] })(job)).toBe(true);
    expect(jobTest({ ...ALL, document: ['*.md'] })(job)).toBe(false);
    expect(jobTest({ ...ALL, model: ['slow'] })(job)).toBe(false);
    expect(jobTest({ jobIds: new Set([job.jobId]) })(job)).toBe(true);
    expect(jobTest({ jobIds: new Set(['other']) })(job)).toBe(false);
  });

  test('a document whose name holds signs of a glob can be named', () => {
    const job = sampleJob({ documentId: 'specs/[draft] (1).md' });
    expect(jobTest({ ...ALL, document: ['specs/[draft] (1).md'] })(job)).toBe(true);
  });

  test('is there when any part was given', () => {
    expect(hasFilter({})).toBe(false);
    expect(hasFilter({ task: ['claims'] })).toBe(true);
  });
});

describe('the open jobs of a run', () => {
  const rows: JobRow[] = [
    sampleJob({ seq: 0, jobId: 'a'.repeat(26), state: 'succeeded' }),
    sampleJob({ seq: 1, jobId: 'b'.repeat(26), state: 'queued', verdict: null }),
    sampleJob({ seq: 2, jobId: 'c'.repeat(26), state: 'running', verdict: null, model: 'slow' }),
  ];
  const store = { jobRows: async (_: string, { after }: { after: number }) => rows.filter(({ seq }) => seq > after) };
  const model = { provider: 'p', model: 'm', group: null, params: {}, price: null, contextTokens: null, structuredOutput: 'auto' } as const;
  const timeouts = { connectMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
  const models = { fast: { id: 'fast', ...model, timeouts }, slow: { id: 'slow', ...model, timeouts } };
  const run = sampleRun({ manifest: { ...MANIFEST, models } });

  test('are those that are queued or running, in plan order', async () => {
    expect((await openJobsOf(store, run, {})).map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await openJobsOf(store, run, { job: ['cccc'] })).map(({ seq }) => seq)).toEqual([2]);
    expect(await openJobsOf(store, run, { job: ['aaaa'] })).toEqual([]);
  });

  test('a task, a model or a job that the run does not have is an error that names the closest', async () => {
    await expect(openJobsOf(store, run, { model: ['fsat'] })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('fast'),
    });
    await expect(openJobsOf(store, run, { task: ['claim'] })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('claims'),
    });
    await expect(openJobsOf(store, run, { job: ['zzzz'] })).rejects.toMatchObject({ exitCode: 2 });
  });
});
