import { expect, test } from 'vitest';
import type { Contents } from '../../../src/report/html/contents.ts';
import { type JobSource, reportJob } from '../../../src/report/html/report-job.ts';
import { reportRow } from '../../../src/report/html/report-row.ts';
import { stringTable } from '../../../src/report/html/string-table.ts';
import { broken, failed, line, score } from '../sample.ts';

const ALL: Contents = { docs: 'cited', prompts: true, answers: true, messages: true };
const TEXT = 'The controller shall refresh every row within sixty-four milliseconds, or less.\n';

function source(over: Partial<JobSource> = {}): JobSource {
  const messages = [
    { role: 'system', content: 'Be exact.' },
    { role: 'user', content: `<doc>\n${TEXT}</doc>\nQuote.` },
  ];
  const completion = { content: '{"a":1}', wireBody: { model: 'm', messages } };
  return {
    line: failed(),
    answer: { a: 1 },
    steps: [{ name: 'answer-1', kind: 'answer', asked: { start: 0, end: TEXT.length }, completion, isJudged: true }],
    attempts: [],
    text: TEXT,
    ...over,
  };
}

test('a prompt is strings that jobs share and stretches of the document', () => {
  const strings = stringTable();
  const [first, second] = [reportJob(source(), ALL, strings), reportJob(source(), ALL, strings)];
  expect(first.steps).toEqual([
    {
      name: 'answer-1',
      kind: 'answer',
      messages: [
        { role: 'system', pieces: [0] },
        { role: 'user', pieces: [1, { start: 0, end: TEXT.length }, 2] },
      ],
    },
  ]);
  expect(second.steps).toEqual(first.steps);
  expect(strings.all()).toEqual(['Be exact.', '<doc>\n', '</doc>\nQuote.']);
});

test('what came is there where it is not the judged answer, and a part of the document is found in its prompt', () => {
  const asked = { start: 4, end: TEXT.length };
  const completion = { content: 'no JSON', wireBody: { messages: [{ role: 'user', content: `Part: ${TEXT.slice(4)}` }] } };
  const steps = [{ name: 'chunk-1', kind: 'chunk', asked, completion, isJudged: false } as const];
  expect(reportJob(source({ steps }), ALL, stringTable()).steps).toEqual([
    { name: 'chunk-1', kind: 'chunk', messages: [{ role: 'user', pieces: [0, asked] }], raw: 'no JSON' },
  ]);
});

test('what is to be left out is not there', () => {
  const strings = stringTable();
  const attempts = [
    { step: 'answer-1', number: 1, outcome: 'failed', reason: 'timeout', message: 'm', startedAt: '', tookMs: 1, costUsd: 0 },
  ] as const;
  const job = reportJob(source({ attempts }), { docs: 'none', prompts: false, answers: false, messages: false }, strings);
  expect(job.steps).toEqual([{ name: 'answer-1', kind: 'answer' }]);
  expect(job).not.toHaveProperty('answer');
  expect(job.attempts[0]?.message).toBeNull();
  expect(strings.all()).toEqual([]);
});

test('a row names the checks that did not pass, failures first, and says what is wrong', () => {
  const scores = [
    score({ check: 'style', severity: 'warn', verdict: 'fail', explanation: 'long' }),
    score({ check: 'doubt', verdict: 'review' }),
    ...failed().scores,
  ];
  expect(reportRow(failed({ scores }), 3)).toMatchObject({
    document: 3,
    checks: ['evidence', 'count', 'doubt', 'style'],
    note: '2 of 3 quotes are not in the document',
    quotes: [3, 0, 2],
  });
  expect(reportRow(broken(), 0)).toMatchObject({ reason: 'timeout', note: 'no answer in 120 s', checks: [] });
  expect(reportRow(line(), 0)).toMatchObject({ note: '', checks: [] });
});
