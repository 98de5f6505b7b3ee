import { expect, test } from 'vitest';
import { expiredRuns, type Retention } from '../../../src/cli/upkeep/gc-plan.ts';
import type { RunRow } from '../../../src/store/rows.ts';
import { sampleRun } from '../sample-run.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 29);

/** Ended so many days ago. */
function run(runId: string, days: number, state: RunRow['state'] = 'finished'): RunRow {
  const ended = state === 'finished' || state === 'cancelled';
  return sampleRun({ runId, state, finishedAtMs: ended ? NOW_MS - days * DAY_MS : null });
}

function gone(runs: readonly RunRow[], retention: Partial<Retention>, busy: readonly string[] = []): string[] {
  const moment = { nowMs: NOW_MS, busy: new Set(busy) };
  return expiredRuns(runs, { keepDays: 30, keepRuns: 2, cacheDays: null, ...retention }, moment).map(({ runId }) => runId);
}

const RUNS = [run('a', 1), run('b', 29), run('c', 29.9), run('d', 30), run('e', 400, 'cancelled')];

test('a run goes when neither its age nor its place keeps it', () => {
  expect(gone(RUNS, {})).toEqual(['d', 'e']);
  expect(gone(RUNS, { keepDays: 0 })).toEqual(['c', 'd', 'e']);
  expect(gone(RUNS, { keepDays: 0, keepRuns: 0 })).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(gone(RUNS, { keepRuns: 4 })).toEqual(['e']);
  expect(gone(RUNS, { keepRuns: 0, keepDays: 500 })).toEqual([]);
});

test('an unfinished run, one that somebody works on and one that ends in the future stay', () => {
  const all = { keepDays: 0, keepRuns: 0 };
  const states = (['planning', 'open', 'paused'] as const).map((state) => run(state, 900, state));
  expect(gone([...states, run('old', 900)], all)).toEqual(['old']);
  expect(gone(RUNS, all, ['b', 'e'])).toEqual(['a', 'c', 'd']);
  expect(gone([run('ahead', -1)], all)).toEqual([]);
});
