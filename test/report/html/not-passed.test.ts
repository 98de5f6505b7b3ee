import { expect, test } from 'vitest';
import type { ResultLine } from '../../../src/domain/result-line.ts';
import { notPassed } from '../../../src/report/html/not-passed.ts';
import { summarize } from '../../../src/report/summarize.ts';
import { absence, broken, failed, finding, header, line, score } from '../sample.ts';

/** Its lines, without tags. */
function told(lines: readonly ResultLine[], base: string | null = null): string[] {
  const html = notPassed(summarize(header({ jobs: lines.length }), lines), base).join('');
  return html
    .replace(/<(li|h2|h3|p|div|ul)[^>]*>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .split('\n')
    .filter((text) => text !== '');
}

const wrong = (explanation: string, quote: string) =>
  score({
    check: 'quotes',
    verdict: 'fail',
    explanation,
    findings: [finding({ status: 'rejected', tier: null, reason: 'not_found', position: null, text: null }, quote)],
  });

const job = (jobId: string, over: Partial<ResultLine>): ResultLine =>
  failed({ jobId: jobId.padEnd(26, '0'), artifacts: `jobs/${jobId}`, ...over });

test('what failed stands by document, and what several models have in common is said once', () => {
  const lines = [
    job('one', { document: 'a.md', model: 'fast', scores: [wrong('1 of 2 quotes rejected', 'no such words')] }),
    job('two', { document: 'b.md', model: 'fast', scores: [wrong('1 of 1 quotes rejected', 'other words')] }),
    job('three', { document: 'a.md', model: 'local', scores: [wrong('1 of 3 quotes rejected', 'no such words')] }),
  ];
  expect(told(lines)).toEqual([
    'Failures (3)',
    'a.md',
    'claims · fast one00000, local three000',
    'quotes: 1 of 2 quotes rejected; 1 of 3 quotes rejected',
    'not in the document',
    'quoted no such words',
    'b.md',
    'claims · fast two00000',
    'quotes: 1 of 1 quotes rejected',
    'not in the document',
    'quoted other words',
  ]);
});

test('what waits for a person is told apart from what failed, and each check says its own verdict where it is another', () => {
  const doubtful = score({ check: 'quotes', verdict: 'review', explanation: '1 near', absences: [absence({ at: '/limit' })] });
  const count = score({ check: 'count', verdict: 'fail', explanation: 'too many' });
  const lines = [
    job('one', { scores: [count, doubtful] }),
    line({ jobId: 'two'.padEnd(26, '0'), document: 'b.md', verdict: 'review', scores: [doubtful] }),
  ];
  const searched = 'said not to be in the document (/limit); searched: the whole document, 2 sections: Scope, Retry';
  expect(told(lines)).toEqual([
    ...['Failures (1)', 'a.md', 'claims · fast one00000', 'count: too many', 'quotes (review): 1 near', searched],
    ...['To review (1)', 'b.md', 'claims · fast two00000', 'quotes: 1 near', searched],
  ]);
});

test('what could not be evaluated stands by reason, and a document that nobody can read names no task', () => {
  const unreadable = { document: 'scan.pdf', error: { reason: 'document_no_text' as const, message: 'no text layer' } };
  const lines = [
    broken({ jobId: 'one'.padEnd(26, '0'), ...unreadable }),
    broken({ jobId: 'two'.padEnd(26, '0'), ...unreadable, model: 'local' }),
    broken({ jobId: 'three'.padEnd(26, '0'), error: { reason: 'timeout', message: 'no answer in 120 s' } }),
  ];
  expect(told(lines)).toEqual([
    'Not evaluated (3)',
    ...['document_no_text · 2 results', 'scan.pdf one00000 (2 results)', 'no text layer'],
    ...['timeout · 1 result', 'a.md · claims · fast three000', 'no answer in 120 s'],
  ]);
});

test('of very many results the first are shown, and how many more there are', () => {
  const lines = Array.from({ length: 70 }, (_, index) => job(`j${index}`, { document: `d${index}.md` }));
  expect(told(lines)[0]).toBe('Failures (70, showing 50)');
  expect(told(lines).at(-1)).toBe('… 20 more, in results.jsonl.');
});

test('a job is a link into its folder where there is one', () => {
  const lines = [job('one', {}), job('two', { document: 'b.md', artifacts: null })];
  const html = notPassed(summarize(header({ jobs: 2 }), lines), 'https://ci.example/a/?x="').join('');
  expect([...html.matchAll(/<a [^>]*>/g)].map(([tag]) => tag)).toEqual([
    '<a href="https://ci.example/a/?x=&quot;jobs/one/" rel="noreferrer">',
  ]);
});

test('a run in which all passed has nothing to tell', () => {
  expect(notPassed(summarize(header({ jobs: 1 }), [line()]), '')).toEqual([]);
});
