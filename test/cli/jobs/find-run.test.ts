import { describe, expect, test } from 'vitest';
import { findRun } from '../../../src/cli/jobs/find-run.ts';
import { sampleRun } from '../sample-run.ts';

function store(...ids: string[]) {
  const runs = ids.map((runId) => sampleRun({ runId }));
  return { allRuns: async () => runs, getRun: async (id: string) => runs.find((run) => run.runId === id) ?? null };
}

const SOME = store('r-newest', 'r-middle', 'r-m');

describe('a run by name', () => {
  test('latest is the newest', async () => {
    expect((await findRun(SOME, 'latest')).runId).toBe('r-newest');
  });

  test('the beginning of an id is enough while it is unambiguous', async () => {
    expect((await findRun(SOME, 'r-mid')).runId).toBe('r-middle');
    await expect(findRun(SOME, 'r-')).rejects.toThrow('3 runs begin with "r-". Closest: r-newest, r-middle, r-m');
  });

  test('a whole id is taken even if it begins another', async () => {
    expect((await findRun(SOME, 'r-m')).runId).toBe('r-m');
  });

  test('an unknown id names the closest ones, without obeying what it holds, and exits 2', async () => {
    await expect(findRun(SOME, 'r-midle\u001b[2J')).rejects.toMatchObject({
      code: 'E31',
      exitCode: 2,
      message: 'no run is called "r-midle". Closest: r-middle, r-newest, r-m',
      next: ['aieval status r-middle'],
    });
  });

  test('without any run the message says how to start one', async () => {
    await expect(findRun(store(), 'latest')).rejects.toMatchObject({ exitCode: 2, next: ['aieval run manifest.json'] });
  });
});
