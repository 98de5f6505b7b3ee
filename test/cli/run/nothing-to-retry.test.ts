import { describe, expect, test } from 'vitest';
import { type Nothing, nothingLines } from '../../../src/cli/run/nothing-to-retry.ts';
import type { JobRow } from '../../../src/store/rows.ts';
import { sampleRun, sampleTotals } from '../sample-run.ts';

const DONE = { total: 5, queued: 0, running: 0, succeeded: 5, failed: 0, cancelled: 0 };
const RESULTS = { total: 5, open: 0, pass: 5, fail: 0, review: 0, error: 0 };
const RUN = sampleRun({ state: 'finished' });

function lines(change: Partial<Nothing['totals']>, selection: Partial<Nothing['selection']> = {}, more: Partial<Nothing> = {}): string[] {
  const totals = sampleTotals({ jobs: DONE, results: RESULTS, dlq: [], ...change });
  const nothing = {
    run: RUN,
    selection: { of: 'dlq', jobIds: null, reasons: null, ...selection },
    totals,
    named: [],
    goOn: [],
    ...more,
  } as Nothing;
  return nothingLines(nothing, '/home/ann/spec');
}

describe('a retry that has nothing to ask', () => {
  test('names the way to new answers where results failed their checks', () => {
    expect(lines({ results: { ...RESULTS, pass: 3, fail: 2 } })).toEqual([
      'nothing to ask again: no job of r-8kq2aaaa is in the DLQ; 2 results have verdict fail',
      'next: aieval retry r-8kq2aaaa --failed --dry-run',
    ]);
  });

  test('says that documents are mended first, and that a run, not a retry, asks them then', () => {
    const dlq = [
      { reason: 'document_no_text', count: 2 },
      { reason: 'document_encrypted', count: 1 },
    ] as const;
    expect(lines({ dlq })).toEqual([
      'nothing to ask again: what r-8kq2aaaa could not evaluate cannot be asked (2× document_no_text, 1× document_encrypted)',
      'next: mend the documents and name the variable that holds the password as "passwordEnv" in the manifest, then: aieval run manifest.json',
    ]);
    expect(lines({ dlq, results: { ...RESULTS, pass: 3, fail: 2 } }).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'nothing to ask',
      'next: mend the',
      'next: aieval retry',
    ]);
  });

  test('says of a reason that was asked for, and is there, that asking does not cure it', () => {
    const dlq = [{ reason: 'document_no_text', count: 2 } as const, { reason: 'refused', count: 1 } as const];
    expect(lines({ dlq }, { reasons: ['document_no_text'] })[0]).toBe(
      'nothing to ask again: what r-8kq2aaaa could not evaluate cannot be asked (2× document_no_text)',
    );
  });

  test('names the reasons that there are, where another was asked for', () => {
    expect(lines({ dlq: [{ reason: 'refused', count: 2 }] }, { reasons: ['timeout'] })).toEqual([
      'nothing to ask again: no job of r-8kq2aaaa is in the DLQ for timeout; there is 2× refused',
      'next: aieval retry r-8kq2aaaa --dry-run',
    ]);
  });

  test('with --failed, names the DLQ where that holds something', () => {
    expect(lines({ dlq: [{ reason: 'refused', count: 1 }] }, { of: 'failed' })).toEqual([
      'nothing to ask again: no result of r-8kq2aaaa has verdict fail; 1 job could not be evaluated',
      'next: aieval retry r-8kq2aaaa --dry-run',
    ]);
  });

  test('says of a job that was named how it ended, and how it is asked again', () => {
    const job = { jobId: 'j3f9aaaabbbb', documentId: 'a.md', task: 'claims', model: 'fast', repeat: 0, error: null } as JobRow;
    const failed = { named: [{ ...job, state: 'succeeded', verdict: 'fail' } as const] };
    expect(lines({}, { jobIds: [job.jobId] }, failed)).toEqual([
      'nothing to ask again: a.md:claims:fast of r-8kq2aaaa has verdict fail',
      'next: aieval retry r-8kq2aaaa --failed --job j3f9aaaa',
    ]);
    const refused = { named: [{ ...job, state: 'failed', verdict: 'error', error: { reason: 'refused', message: '' } } as const] };
    expect(lines({}, { of: 'failed', jobIds: [job.jobId] }, refused)).toEqual([
      'nothing to ask again: a.md:claims:fast of r-8kq2aaaa could not be evaluated (refused)',
      'next: aieval retry r-8kq2aaaa --job j3f9aaaa',
    ]);
    const passed = { named: [{ ...job, state: 'succeeded', verdict: 'pass' } as const] };
    expect(lines({}, { of: 'failed', jobIds: [job.jobId] }, passed)).toEqual([
      'nothing to ask again: a.md:claims:fast of r-8kq2aaaa has verdict pass',
      'next: change the manifest or a document, then: aieval run manifest.json',
    ]);
  });

  test('says of a cancelled job the run that evaluates it, without a change', () => {
    const job = { jobId: 'j3f9aaaabbbb', documentId: 'a.md', task: 'claims', model: 'fast', repeat: 0, error: null } as JobRow;
    const named = [{ ...job, state: 'cancelled', verdict: null } as const];
    expect(lines({}, { jobIds: [job.jobId] }, { named })).toEqual([
      'nothing to ask again: a.md:claims:fast of r-8kq2aaaa was cancelled',
      'next: aieval run manifest.json',
    ]);
    const open = { named, run: sampleRun({ state: 'open' }), goOn: ['aieval run manifest.json'] };
    expect(lines({}, { jobIds: [job.jobId] }, open)[1]).toBe('next: when this run is done: aieval run manifest.json');
  });

  test('goes on with what is open', () => {
    const goOn = ['aieval worker r-8kq2aaaa'];
    expect(lines({ jobs: { ...DONE, queued: 2 } }, {}, { run: sampleRun({ holdsIdentity: false }), goOn })).toEqual([
      'nothing to ask again: no job of r-8kq2aaaa is in the DLQ; 2 jobs are queued already',
      'next: aieval worker r-8kq2aaaa',
    ]);
  });
});
