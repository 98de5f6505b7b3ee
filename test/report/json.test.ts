import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { summaryJson } from '../../src/report/json.ts';
import { summarize } from '../../src/report/summarize.ts';
import { failed, header, line } from './sample.ts';

const PAGE = readFileSync(new URL('../../docs/summary.md', import.meta.url), 'utf8');

/** First column of the table of fields. */
const DOCUMENTED = PAGE.slice(PAGE.indexOf('## JSON'))
  .split('\n')
  .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, field]) => field));

test('every field of the JSON is documented, and none that it does not have', () => {
  const summary: unknown = JSON.parse(summaryJson(summarize(header(), [line(), failed({ document: 'b.md' })])));
  expect([...DOCUMENTED].sort()).toEqual(Object.keys(Object(summary)).sort());
});

test('the same summary gives the same bytes, the version first', () => {
  const lines = [line(), failed({ document: 'b.md' })];
  const text = summaryJson(summarize(header(), lines));
  expect(text).toMatch(/^\{\n {2}"v": 1,\n/);
  expect(summaryJson(summarize(JSON.parse(JSON.stringify(header())), JSON.parse(JSON.stringify(lines))))).toBe(text);
});
