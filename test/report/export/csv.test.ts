import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneLine, withoutBuildCommands } from '../../../src/domain/hostile-text.ts';
import type { ResultLine } from '../../../src/domain/result-line.ts';
import { csv } from '../../../src/report/export/csv.ts';
import { shownSource } from '../../../src/report/export/export-source.ts';
import { NAMED_PAYLOADS, PAYLOADS } from '../hostile.ts';
import { broken, failed, line, score } from '../sample.ts';
import { source, textOf } from './source.ts';

/** Strict: a bare quote, a wrong number of fields, or another line end is an error. */
function rows(text: string): Record<string, string>[] {
  return parse(text, { columns: true, record_delimiter: '\r\n' });
}

const written = async (...jobs: ResultLine[]): Promise<string> => await textOf(csv(source(jobs)));

test('a job is a row: names, verdict, the worst check, quotes, cost; repeats count from 1', async () => {
  const text = await written(failed({ repeat: 1, costUsd: 0.0000001 }));
  expect(text.split('\r\n')[0]).toBe(
    'run,job_id,document,task,model,repeat,state,verdict,failed_checks,review_checks,explanation,quotes_verified,quotes_elided,quotes_near,' +
      'quotes_rejected,reason,message,cached,cost_usd,input_tokens,cached_input_tokens,output_tokens,calls,attempts,retries,latency_ms,reasked,' +
      'repaired,artifacts',
  );
  expect(rows(text)).toEqual([
    {
      run: 'r-8kq2',
      job_id: 'j3f9abcdefghijklmnopqrstuv',
      document: 'a.md',
      task: 'claims',
      model: 'fast',
      repeat: '2',
      state: 'succeeded',
      verdict: 'fail',
      failed_checks: 'evidence; count',
      review_checks: '',
      explanation: 'evidence: 2 of 3 quotes are not in the document',
      quotes_verified: '1',
      quotes_elided: '0',
      quotes_near: '0',
      quotes_rejected: '2',
      reason: '',
      message: '',
      cached: 'false',
      cost_usd: '0.0000001',
      input_tokens: '1000',
      cached_input_tokens: '0',
      output_tokens: '100',
      calls: '1',
      attempts: '1',
      retries: '0',
      latency_ms: '1200',
      reasked: 'false',
      repaired: 'false',
      artifacts: 'jobs/j3f9abcdefghijklmnopqrstuv',
    },
  ]);
});

test('what is not known is an empty cell, and an open job has no verdict', async () => {
  expect(rows(await written(broken(), line({ state: 'queued', verdict: null, costUsd: 0 })))).toMatchObject([
    { verdict: 'error', reason: 'timeout', message: 'no answer in 120 s', cost_usd: '', latency_ms: '' },
    { state: 'queued', verdict: '', cost_usd: '0' },
  ]);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A'])(
  'a document called %j is no formula',
  async (document) => {
    expect(rows(await written(line({ document })))).toMatchObject([{ document: `'${document.trim()}`, repeat: '1' }]);
  },
);

test.each(NAMED_PAYLOADS)('hostile text stays in its cell: %s', async (_, payload) => {
  const scores = [score({ verdict: 'fail', explanation: payload })];
  const [row, ...more] = rows(await written(line({ verdict: 'fail', scores, document: payload }), line()));
  expect(more).toHaveLength(1);
  for (const cell of [row?.explanation, row?.document]) expect(cell).not.toMatch(/\p{Cc}|^[=+\-@]|##\w*\[|^::/u);
});

test('any names come back as one line of what they are, but for the apostrophe before a formula', async () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...PAYLOADS),
    fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n",\'a') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), async (names) => {
      const jobs = names.map((document) => line({ document, task: document, artifacts: null }));
      const lines = names.map((text) => withoutBuildCommands(oneLine(text, 5000)));
      const expected = lines.map((text) => (/^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text));
      const read = rows(await written(...jobs));
      expect(read.map(({ document }) => document)).toEqual(expected);
      expect(read.map(({ task }) => task)).toEqual(expected);
    }),
  );
});

test('with privacy.evidence "none" no word of a document or a model is in it', async () => {
  const jobs = [failed(), broken({ error: { reason: 'refused', message: 'secret words' } })];
  const text = await textOf(csv(shownSource(source(jobs, { privacy: 'none' }))));
  expect(text).not.toMatch(/secret|register|checksum|retry/);
  expect(rows(text)).toMatchObject([
    { quotes_rejected: '2', failed_checks: 'evidence; count' },
    { reason: 'refused', message: '' },
  ]);
});
