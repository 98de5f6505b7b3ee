import { describe, expect, test } from 'vitest';
import { allLines, allRecord, allRuns, otherRunsLine } from '../../../src/cli/status/status-all.ts';
import { dayAndClock } from '../../../src/cli/terminal/format.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import { STARTED_MS, sampleRun, sampleTotals, sampleWorker } from '../sample-run.ts';

const NOW = STARTED_MS + 10_000;
const RUNS = [sampleRun({ runId: 'r-b', state: 'finished' }), sampleRun({ runId: 'r-a' })];
const LOOK = { columns: 120, paint: painter(false) };

const seen = () =>
  allRuns(
    { listRuns: async () => RUNS, runTotals: async () => sampleTotals(), workers: async () => [sampleWorker({ runId: 'r-a' })] },
    NOW,
  );

const UNREADABLE = {
  runId: 'r-c',
  state: 'open',
  manifestPath: '/home/ann/spec/manifest.json',
  createdAtMs: STARTED_MS,
  unreadableAt: 'manifest.tasks',
} as const;

describe('status --all', () => {
  test('is one line for each run, with its own state', async () => {
    const started = dayAndClock(STARTED_MS);
    expect(allLines(await seen(), [], LOOK)).toEqual([
      'RUN  NAME         STATE                 DONE  PASS  FAIL  REVIEW  ERROR  STARTED',
      `r-b  spec-review  finished incomplete  28/40    14     4       1      2  ${started}`,
      `r-a  spec-review  running              28/40    14     4       1      2  ${started}`,
    ]);
    expect(allLines([], [], LOOK)).toEqual(['No run has been started here yet.']);
    expect(allLines([], [UNREADABLE], LOOK)).toEqual([
      '! run r-c cannot be read (manifest.tasks): it was written by another version of aieval, or by somebody else',
    ]);
  });

  test('--json is the documented object', async () => {
    const { jobs } = sampleTotals();
    const startedAt = '2026-11-29T13:00:00.000Z';
    expect(allRecord(await seen(), [UNREADABLE])).toEqual({
      v: 1,
      runs: [
        { id: 'r-b', name: 'spec-review', state: 'finished', verdict: 'incomplete', startedAt, jobs, plan: null },
        { id: 'r-a', name: 'spec-review', state: 'running', verdict: null, startedAt, jobs, plan: null },
      ],
      unreadable: [{ id: 'r-c', state: 'open', startedAt, unreadableAt: 'manifest.tasks' }],
    });
  });
});

describe('a look at one run', () => {
  const HERE = { columns: 120, lead: 'aieval' };
  const line = (ids: readonly string[]) => otherRunsLine([...RUNS, ...ids.map((runId) => sampleRun({ runId }))], 'r-b', HERE);

  test('names the other unfinished runs, the newest if they are many, and is silent without one', () => {
    expect(otherRunsLine(RUNS, 'r-a', HERE)).toBeNull();
    expect(line([])).toBe(' 1 other unfinished run: r-a → aieval status --all');
    expect(line(['r-c'])).toBe(' 2 other unfinished runs: r-a, r-c → aieval status --all');
    expect(line(['r-c', 'r-d', 'r-e', 'r-f', 'r-g'])).toBe(' 6 other unfinished runs: r-a, r-c, r-d, r-e, r-f, … → aieval status --all');
  });
});
