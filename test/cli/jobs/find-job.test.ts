import { describe, expect, test } from 'vitest';
import { findJob, findJobIds, parseJobName } from '../../../src/cli/jobs/find-job.ts';
import type { JobRow } from '../../../src/store/rows.ts';
import { sampleJob, sampleRun } from '../sample-run.ts';

function store(rows: readonly JobRow[]) {
  return {
    jobRows: async (_: string, page: { after: number; limit: number }) => rows.filter((row) => row.seq > page.after).slice(0, page.limit),
  };
}

const RUN = sampleRun();
const ROWS = [
  sampleJob({ seq: 0, jobId: `abcd${'a'.repeat(22)}` }),
  sampleJob({ seq: 1, jobId: `abce${'a'.repeat(22)}`, documentId: 'specs/a:b#1.md' }),
  ...[0, 1, 2].map((repeat) => sampleJob({ seq: 2 + repeat, jobId: `x${repeat}${'y'.repeat(24)}`, task: 'ambiguity', repeat })),
];

describe('a job by name', () => {
  test('the name is read from the right, so that a document may hold colons and #', () => {
    expect(parseJobName('specs/a:b#1.md:claims:fast')).toEqual({
      kind: 'label',
      document: 'specs/a:b#1.md',
      task: 'claims',
      model: 'fast',
      repeat: null,
    });
    expect(parseJobName('a.md:claims:fast#2')).toMatchObject({ document: 'a.md', repeat: 1 });
    expect(parseJobName('j3f9')).toEqual({ kind: 'id', beginning: 'j3f9' });
    expect(parseJobName('claims:fast')).toEqual({ kind: 'id', beginning: 'claims:fast' });
  });

  test('document:task:model, #n and the beginning of an id find the same rows as the store has', async () => {
    expect((await findJob(store(ROWS), RUN, 'specs/a:b#1.md:claims:fast')).seq).toBe(1);
    expect((await findJob(store(ROWS), RUN, 'specs/auth.md:ambiguity:fast#3')).seq).toBe(4);
  });

  test('several names give their ids in the order typed, and of two wrong ones the first is told, however long it takes to find', async () => {
    expect(await findJobIds(store(ROWS), RUN, ['specs/auth.md:ambiguity:fast#3', 'abce'])).toEqual([ROWS[4]?.jobId, ROWS[1]?.jobId]);
    let asked = 0;
    const slowAtFirst = {
      jobRows: async (...[runId, page]: Parameters<ReturnType<typeof store>['jobRows']>) => {
        asked += 1;
        for (let turn = asked === 1 ? 50 : 0; turn > 0; turn -= 1) await Promise.resolve();
        return store(ROWS).jobRows(runId, page);
      },
    };
    await expect(findJobIds(slowAtFirst, RUN, ['zzz', 'yyy'])).rejects.toThrow('has no job "zzz"');
  });

  test('a job behind the first page of rows is found', async () => {
    const many = Array.from({ length: 1203 }, (_, seq) => sampleJob({ seq, jobId: `${seq}`.padStart(26, 'q'), documentId: `d${seq}.md` }));
    expect((await findJob(store(many), RUN, 'd1202.md:claims:fast')).seq).toBe(1202);
  });

  test('a name that fits several repeats lists them', async () => {
    await expect(findJob(store(ROWS), RUN, 'specs/auth.md:ambiguity:fast')).rejects.toMatchObject({
      code: 'E32',
      exitCode: 2,
      message: expect.stringContaining('specs/auth.md:ambiguity:fast#1 (x0yyyyyy), specs/auth.md:ambiguity:fast#2'),
      next: [`aieval show x0yyyyyy --run ${RUN.runId}`],
    });
  });

  test('a word that is no name is answered with three names and the list of the jobs; an id with one that begins alike', async () => {
    await expect(findJob(store(ROWS), RUN, 'nope')).rejects.toMatchObject({
      message: `run ${RUN.runId} has no job "nope". Closest: specs/auth.md:claims:fast, specs/a:b#1.md:claims:fast, specs/auth.md:ambiguity:fast#1`,
      next: [`aieval export ${RUN.runId} --format csv`],
    });
    const mistyped = `${ROWS[1]?.jobId.slice(0, 4)}zz`;
    await expect(findJob(store(ROWS), RUN, mistyped)).rejects.toMatchObject({
      next: [`aieval show ${ROWS[1]?.jobId.slice(0, 8)} --run ${RUN.runId}`],
    });
  });

  test('a run with one job names it, and one without any names none', async () => {
    const one = findJob(store(ROWS.slice(0, 1)), RUN, 'nope');
    await expect(one).rejects.toMatchObject({ message: expect.stringContaining('Closest: specs/auth.md:claims:fast') });
    await expect(findJob(store([]), RUN, 'nope')).rejects.toMatchObject({ message: `run ${RUN.runId} has no job "nope"` });
  });

  test('a part of a name lists the jobs that have it, and shows the first', async () => {
    await expect(findJob(store(ROWS), RUN, 'ambiguity')).rejects.toMatchObject({
      message: expect.stringMatching(/Closest: (?:specs\/auth\.md:ambiguity:fast#\d(?:, )?){3}$/),
      next: [`aieval show 'specs/auth.md:ambiguity:fast#1' --run ${RUN.runId}`],
    });
  });

  test('an unknown name lists the three closest', async () => {
    await expect(findJob(store(ROWS), RUN, 'specs/auht.md:claims:fast')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('Closest: specs/auth.md:claims:fast, '),
      next: [`aieval show specs/auth.md:claims:fast --run ${RUN.runId}`],
    });
  });
});
