import { describe, expect, test } from 'vitest';
import type { ReportRow } from '../../../src/report/html/report-data.ts';
import { select } from '../../../src/report/page/logic/filter.ts';
import { type IndexedRow, indexRows, verdictOrder } from '../../../src/report/page/logic/rows.ts';
import { sortRows } from '../../../src/report/page/logic/sort.ts';
import { type Column, FIRST_VIEW, withFilter } from '../../../src/report/page/logic/view.ts';
import { rowWindow, scrollFor } from '../../../src/report/page/logic/window.ts';

function row(jobId: string, over: Partial<ReportRow> = {}): ReportRow {
  return {
    ...{
      jobId,
      document: 0,
      task: 'claims',
      model: 'fast',
      repeat: 0,
      state: 'succeeded',
      verdict: 'pass',
      checks: [],
      reason: null,
      note: '',
    },
    ...{ quotes: [1, 0, 0], costUsd: 0.01, latencyMs: 100, attempts: 1, cached: false },
    ...over,
  };
}

const documents = ['a.md', 'b.md'].map((id) => ({ id, pages: null, characters: 1, warnings: [], error: null, text: false }));
const rows = indexRows({
  documents,
  jobs: [
    row('j0', { cached: true, costUsd: 0 }),
    row('j1', { verdict: 'fail', checks: ['evidence', 'count'], note: 'Expected at most 3', document: 1, quotes: [0, 1, 2] }),
    row('j2', { verdict: 'error', state: 'failed', reason: 'timeout', model: 'local', costUsd: null, latencyMs: null, attempts: 3 }),
    row('j3', { verdict: 'review', checks: ['evidence'], task: 'cites', costUsd: 0.5, latencyMs: 2000 }),
    row('j4', { verdict: null, state: 'queued', task: 'cites', costUsd: null, latencyMs: null, attempts: 0 }),
    row('j5', { verdict: null, state: 'cancelled' }),
  ],
});
const ids = (selected: readonly IndexedRow[]): string[] => selected.map(({ row: { jobId } }) => jobId);

test('the repeats of a task are numbered from the first on, and only there', () => {
  const asked = [row('j0'), row('j1', { repeat: 1 }), row('j2', { task: 'cites' })];
  expect(indexRows({ documents, jobs: asked }).map(({ model }) => model)).toEqual(['fast #1', 'fast #2', 'fast']);
});

test('what was not evaluated stands before fails where it makes the run incomplete', () => {
  const jobs = [row('pass'), row('fail', { verdict: 'fail' }), row('error', { verdict: 'error', state: 'failed' })];
  const sorted = (verdict: 'fail' | 'incomplete') =>
    ids(sortRows(indexRows({ documents, jobs }, verdictOrder(verdict)), { column: 'verdict', descending: false }));
  expect(sorted('fail')).toEqual(['fail', 'error', 'pass']);
  expect(sorted('incomplete')).toEqual(['error', 'fail', 'pass']);
});

describe('select', () => {
  test('keeps all jobs of the first view', () => {
    expect(ids(select(rows, FIRST_VIEW).rows)).toEqual(['j0', 'j1', 'j2', 'j3', 'j4', 'j5']);
  });

  test('joins the values of one facet by or, and facets by and', () => {
    const view = withFilter(FIRST_VIEW, { verdict: ['fail', 'review'], check: ['evidence'], task: ['cites'] });
    expect(ids(select(rows, view).rows)).toEqual(['j3']);
  });

  test('counts what each value would give beside the other facets', () => {
    const { counts } = select(rows, withFilter(FIRST_VIEW, { verdict: ['fail'], task: ['claims'] }));
    expect(Object.fromEntries(counts.verdict)).toEqual({ pass: 1, fail: 1, error: 2 });
    expect(Object.fromEntries(counts.task)).toEqual({ claims: 1 });
    expect(Object.fromEntries(counts.model)).toEqual({ fast: 1 });
    expect(Object.fromEntries(counts.check)).toEqual({ evidence: 1, count: 1 });
  });

  test('finds all the words, anywhere and in any case', () => {
    const found = (query: string): string[] => ids(select(rows, { ...FIRST_VIEW, query }).rows);
    expect(found('MOST expected')).toEqual(['j1']);
    expect(found('b.md')).toEqual(['j1']);
    expect(found('timeout')).toEqual(['j2']);
    expect(found('j3')).toEqual(['j3']);
    expect(found('nothing')).toEqual([]);
    expect(found('   ')).toHaveLength(6);
  });

  test('takes a cancelled job as not evaluated, and one without verdict as open', () => {
    expect(ids(select(rows, withFilter(FIRST_VIEW, { verdict: ['error'] })).rows)).toEqual(['j2', 'j5']);
    expect(ids(select(rows, withFilter(FIRST_VIEW, { verdict: ['open'] })).rows)).toEqual(['j4']);
  });
});

describe('sortRows', () => {
  const sorted = (column: Column, descending = false): string[] => ids(sortRows(rows, { column, descending }));

  test('puts what a person must act on first, and keeps plan order among equals', () => {
    expect(sorted('verdict')).toEqual(['j1', 'j2', 'j5', 'j3', 'j4', 'j0']);
    expect(sorted('verdict', true)).toEqual(['j0', 'j4', 'j3', 'j2', 'j5', 'j1']);
  });

  test('puts the dearest and the slowest first, and the unknown last either way', () => {
    expect(sorted('cost')).toEqual(['j3', 'j1', 'j5', 'j0', 'j2', 'j4']);
    expect(sorted('cost', true)).toEqual(['j0', 'j1', 'j5', 'j3', 'j2', 'j4']);
    expect(sorted('time').slice(-2)).toEqual(['j2', 'j4']);
  });

  test('puts rejected quotes first, then near ones', () => {
    expect(sorted('quotes')[0]).toBe('j1');
  });

  test('reads numbers in names as numbers', () => {
    const named = indexRows({
      documents: ['d10', 'd9'].map((id) => ({ ...documents[0], id, pages: null, characters: 1, warnings: [], error: null, text: false })),
      jobs: [row('x', { document: 0 }), row('y', { document: 1 })],
    });
    expect(ids(sortRows(named, { column: 'document', descending: false }))).toEqual(['y', 'x']);
  });

  test.each<Column>(['document', 'task', 'model', 'note', 'tries', 'cached'])('orders by %s without losing a job', (column) => {
    expect(sorted(column).sort()).toEqual(['j0', 'j1', 'j2', 'j3', 'j4', 'j5']);
  });
});

describe('the window', () => {
  test('has what is seen and some rows around it', () => {
    expect(rowWindow(3000, 600, 30, 10_000)).toEqual({ first: 84, last: 137 });
  });

  test('stays while a scroll is small, so that nothing is drawn anew', () => {
    expect(rowWindow(3000, 600, 30, 10_000)).toEqual(rowWindow(2880, 600, 30, 10_000));
    expect(rowWindow(3119, 600, 30, 10_000)).toEqual(rowWindow(2880, 600, 30, 10_000));
  });

  test('ends with the table', () => {
    expect(rowWindow(0, 600, 30, 5)).toEqual({ first: 0, last: 5 });
    expect(rowWindow(9e9, 600, 30, 50)).toEqual({ first: 36, last: 50 });
    expect(rowWindow(-5, 0, 30, 0)).toEqual({ first: 0, last: 0 });
  });

  test('scrolls no more than it must to show a row', () => {
    expect(scrollFor(5, 0, 600, 30)).toBe(0);
    expect(scrollFor(20, 0, 600, 30)).toBe(30);
    expect(scrollFor(3, 300, 600, 30)).toBe(90);
  });
});
