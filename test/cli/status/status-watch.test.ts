import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/cli/status/snapshot.ts';
import { watchRun } from '../../../src/cli/status/status-watch.ts';
import { type FakeIo, FakeStream, fakeIo } from '../fake-io.ts';
import { sampleRun, sampleTotals } from '../sample-run.ts';

/** A run that is looked at every second: `done` of 40 jobs after so many seconds, over after `seconds`. */
async function log(io: FakeIo, { seconds, done }: { seconds: number; done: (second: number) => number }): Promise<string[]> {
  const startMs = io.nowMs;
  const look = async () => {
    const second = (io.nowMs - startMs) / 1000;
    const jobs = { total: 40, queued: 0, running: 0, succeeded: done(second), failed: 0, cancelled: 0 };
    const state = second >= seconds ? ('finished' as const) : ('running' as const);
    const snapshot: Snapshot = {
      ...{
        run: sampleRun(),
        state,
        verdict: null,
        stoppedBy: null,
        stalled: null,
        openNanoUsd: null,
        workers: [],
        plan: null,
        asOfMs: io.nowMs,
      },
      totals: sampleTotals({ jobs }),
    };
    return { snapshot, pace: { jobsPerMinute: null, etaSeconds: second, etaAtLeastSeconds: second } };
  };
  await watchRun(io, { json: false, seconds: 1, look, textOf: async () => 'the screen', ...UNDISTURBED });
  return io.stdout.lines;
}

const doneOf = (line: string): string => /done=(\S+)/.exec(line)?.[1] ?? line;

const UNDISTURBED = { isDisturbed: () => false, hurry: () => undefined };

test('a log has the first look, a line where something changed half a minute after the last, and the screen at the end', async () => {
  const lines = await log(fakeIo(), { seconds: 65, done: (second) => Math.floor(second / 5) });
  expect(lines.map(doneOf)).toEqual(['0/40', '6/40', '12/40', 'the screen']);
});

test('the end is noticed at the next look, and where nothing changes nothing is said', async () => {
  const io = fakeIo();
  const startMs = io.nowMs;
  expect((await log(io, { seconds: 300, done: () => 0 })).map(doneOf)).toEqual(['0/40', 'the screen']);
  expect(io.nowMs - startMs).toBe(300_000);
  const short = fakeIo();
  await log(short, { seconds: 3, done: () => 0 });
  expect(short.nowMs - startMs).toBe(3000);
});

test('in the background of a shell the screen is not drawn over its prompt, but the last one is shown', async () => {
  const io = fakeIo({ stdout: new FakeStream(80) });
  io.isInFront = false;
  const lines = await log(io, { seconds: 3, done: () => 0 });
  expect(lines.filter((line) => line.includes('the screen'))).toHaveLength(1);
});

test('of a run that does not move a line names the command that goes on, and no end that is not in sight', async () => {
  const io = fakeIo({ cwd: '/home/ann/spec' });
  const startMs = io.nowMs;
  const look = async () => {
    const state = io.nowMs > startMs ? ('finished' as const) : ('interrupted' as const);
    const snapshot: Snapshot = {
      ...{
        run: sampleRun(),
        state,
        verdict: null,
        stoppedBy: null,
        stalled: null,
        openNanoUsd: null,
        workers: [],
        plan: null,
        asOfMs: io.nowMs,
      },
      totals: sampleTotals(),
    };
    return { snapshot, pace: { jobsPerMinute: 1, etaSeconds: 60, etaAtLeastSeconds: 60 } };
  };
  await watchRun(io, { json: false, seconds: 1, look, textOf: async () => 'the screen', ...UNDISTURBED });
  const [first = ''] = io.stdout.lines;
  expect(first).toMatch(/ INFO interrupted .* next="aieval run manifest\.json"$/);
  expect(first).not.toContain('eta_s');
});

test.each([false, true])('a screen is drawn over the last one, and below whatever else was written meanwhile: %s', async (isDisturbed) => {
  const io = fakeIo({ stdout: new FakeStream(80) });
  const startMs = io.nowMs;
  const look = async () => {
    const state = io.nowMs > startMs ? ('finished' as const) : ('running' as const);
    const snapshot: Snapshot = {
      ...{
        run: sampleRun(),
        state,
        verdict: null,
        stoppedBy: null,
        stalled: null,
        plan: null,
        openNanoUsd: null,
        workers: [],
        asOfMs: io.nowMs,
      },
      totals: sampleTotals(),
    };
    return { snapshot, pace: { jobsPerMinute: 1, etaSeconds: 60, etaAtLeastSeconds: 60 } };
  };
  const hurry = () => undefined;
  await watchRun(io, { json: false, seconds: 1, look, textOf: async () => 'the screen', isDisturbed: () => isDisturbed, hurry });
  expect(io.stdout.text.includes('\u001b[1A')).toBe(!isDisturbed);
});
