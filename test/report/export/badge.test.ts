import { expect, test } from 'vitest';
import type { ResultLine, RunHeader } from '../../../src/domain/result-line.ts';
import { badge } from '../../../src/report/export/badge.ts';
import { broken, failed, line } from '../sample.ts';
import { source, textOf } from './source.ts';

async function written(jobs: readonly ResultLine[], over: Partial<RunHeader> = {}): Promise<unknown> {
  const text = await textOf(badge(source(jobs, over)));
  expect(text).toMatch(/^[^\n]*\n$/);
  return JSON.parse(text);
}

const as = (message: string, color: string) => ({ schemaVersion: 1, label: 'aieval', message, color });
const pass = (document: string) => line({ document });
const fail = (document: string) => failed({ document });
const run = { id: 'r-8kq2', name: 'n', state: 'open' as const, startedAt: '2026-11-01T13:12:30.000Z', finishedAt: null };

test('a run that passes is green, rounded down', async () => {
  const jobs = [...'abcde'].map(pass);
  expect(await written([...jobs, fail('f')])).toEqual(as('83.3 % pass', 'brightgreen'));
});

test('a run below its gate is red', async () => {
  expect(await written([pass('a'), fail('b')])).toEqual(as('50.0 % pass', 'red'));
});

test('what could not be evaluated, or is open, never looks like a pass', async () => {
  expect(await written([pass('a'), broken({ document: 'b' })])).toEqual(as('incomplete, 100.0 % pass, 1 not evaluated', 'orange'));
  const open = line({ document: 'b', state: 'queued', verdict: null });
  expect(await written([pass('a'), open], { run })).toEqual(as('unfinished, 100.0 % pass', 'blue'));
  expect(await written([], { run: { ...run, state: 'finished' } })).toEqual(as('no results', 'lightgrey'));
});

test('a part of a manifest is named, and never as green as all of it', async () => {
  const selection = { options: '--first 1', jobs: 1, of: 5 };
  expect(await written([pass('a')], { selection })).toEqual(as('part, 100.0 % pass', 'blue'));
  expect(await written([fail('a')], { selection })).toEqual(as('part, 0.0 % pass', 'red'));
});

test('a pass with answers that could not be evaluated says how many and is not green', async () => {
  const jobs = [pass('a'), broken({ document: 'b' }), broken({ document: 'c' })];
  expect(await written(jobs, { gate: { minPassRate: 0.8, maxErrorRate: 1 } })).toEqual(as('100.0 % pass, 2 not evaluated', 'yellow'));
});

test('answers that all wait for a person are no missing results', async () => {
  expect(await written([line({ verdict: 'review' }), line({ document: 'b', verdict: 'review' })])).toEqual(as('2 to review', 'yellow'));
});

test('says as the headline does why a run stands still', async () => {
  const open = line({ document: 'b', state: 'queued', verdict: null });
  const stop = { why: 'budget_usd', lane: null, count: 1, until: null, message: null };
  expect(await written([pass('a'), open], { run, stoppedBy: [stop] })).toEqual(as('budget reached, 100.0 % pass', 'blue'));
  expect(await written([pass('a'), open], { run: { ...run, state: 'paused' } })).toEqual(as('paused, 100.0 % pass', 'blue'));
  expect(await written([pass('a'), open], { run: { ...run, state: 'cancelled' } })).toEqual(as('cancelled, 100.0 % pass', 'orange'));
});
